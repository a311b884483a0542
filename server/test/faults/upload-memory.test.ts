import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { newFile, newRecord } from '../both/files/files.ts'
import { newFolder } from '../installation.ts'
import { type OwnProcess, ownProcess } from '../own-service.ts'
import { inRun } from '../run-length.ts'

const AT_ONCE = 100
const MB = 1024 * 1024
const SIZE_MB = inRun({ short: 2, long: 25 })
const GROWTH_MAX_MB = 100

const chunk = Buffer.alloc(64 * 1024, 'content ')

function megabytes({ service }: OwnProcess): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
}

/** Sends a file of its own as fast as it is read, without holding it, and returns the status. */
async function upload(url: string, token: string, number: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { Authorization: `Bearer ${token}`, 'Content-Length': SIZE_MB * MB }
  const sending = request(`${url}?name=${number}.bin`, { method: 'POST', headers, agent: false }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode))
  }).on('error', reject)
  const first = Buffer.from(chunk)
  first.write(`${number}`)
  for (let left = SIZE_MB * MB; left > 0; left -= chunk.length) {
    if (!sending.write(left === SIZE_MB * MB ? first : chunk))
      await new Promise((drained) => sending.once('drain', drained))
  }
  sending.end()
  return promise
}

it(`${AT_ONCE} uploads of ${SIZE_MB} MB at once grow the process by less than ${GROWTH_MAX_MB} MB`, async () => {
  const limits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
  const own = await ownProcess({ FILES_URL: `file:${newFolder()}`, ...limits })
  const { api } = await own.workspace()
  const record = await newRecord({ api })
  for (let number = 0; number < 20; number++) await newFile(api, record, `warm ${number}`)
  const before = megabytes(own)
  let most = before
  let done = false
  const watching = (async () => {
    for (; !done; await pause(20)) most = Math.max(most, megabytes(own))
  })()
  const url = `${api.base}/companies/${record}/files`
  const begun = performance.now()
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => upload(url, api.token, number)))
  done = true
  await watching
  const seconds = (performance.now() - begun) / 1000
  console.log(
    `${process.env.TEST_ENGINE}: ${AT_ONCE} uploads of ${SIZE_MB} MB in ${seconds.toFixed(1)} s: from ${before.toFixed(0)} MB to ${most.toFixed(0)} MB`,
  )
  expect(new Set(statuses)).toEqual(new Set([201]))
  expect(most - before).toBeLessThan(GROWTH_MAX_MB)
  await own.stop()
})
