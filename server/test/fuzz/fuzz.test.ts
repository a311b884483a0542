import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { HEAD_MAX_BYTES } from '../../src/http/wire/observe-requests.ts'
import { reindexWorkspace } from '../../src/records/reindex.ts'
import { chanceFrom } from '../../src/sample/chance.ts'
import { derived } from '../derived/derived-state.ts'
import { oauthSettings } from '../oauth-service.ts'
import { ownProcess } from '../own-service.ts'
import { inRun } from '../run-length.ts'
import type { Service } from '../setup/service.ts'
import { brokenRequest } from './broken-requests.ts'
import { fuzzedWorld } from './fuzzed-world.ts'
import { complaintAbout } from './judge.ts'
import { type Fuzzed, randomRequest } from './random-request.ts'
import { openPipe, type Pipe, type RawAnswer } from './raw-pipe.ts'

/** The same requests on every run, unless another seed is given; `random` takes one by chance. */
const SEED = seedOf(process.env.FUZZ_SEED ?? 'kith')
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? inRun({ short: 140, long: 50_000 }))
const ends = (doors: readonly string[]) => doors.flatMap((door) => [`${door} fine`, `${door} refused`])
const common = { statuses: [200, 401, 404, 405, 422], ends: ends(['v1', 'app', 'mcp']) }
/** Some of these come a few times in ten thousand requests. */
const rare = { statuses: [201, 202, 204, 302, 413], ends: ends(['oauth', 'other']) }
const RARE_FROM = 50_000
const PIPES = 16
const AHEAD = 4
const MEMORY_MAX_MB = 900
const SILENCE_MS = 60_000
const settings = {
  RATE_LIMIT_WORKSPACE: '0',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  LOG_LEVEL: 'error',
  // What proxies add can be made up, too; and programs come from everywhere.
  TRUST_PROXY: '1',
}

function seedOf(given: string): string {
  return given === 'random' ? randomBytes(4).toString('hex') : given
}

it(`${REQUESTS} requests at random get answers in order: never a 500, never silence, nothing of others (seed ${SEED})`, {
  timeout: 1_800_000,
}, async () => {
  const own = await ownProcess({ ...(await oauthSettings()), ...settings })
  const { workspace, world } = await fuzzedWorld(own)
  const port = Number(new URL(own.url).port)
  const chance = chanceFrom(SEED)
  const statuses = new Map<number, number>()
  const doors = new Map<string, number>()
  const complaints: string[] = []
  let asked = 0

  const judge = (fuzzed: Fuzzed, answer: RawAnswer) => {
    count(statuses, answer.status)
    count(doors, `${fuzzed.door} ${answer.status < 400 ? 'fine' : 'refused'}`)
    const complaint = complaintAbout(fuzzed, answer, own.url)
    if (complaint) complaints.push(`${complaint}\n  ${JSON.stringify(fuzzed.bytes.toString('latin1').slice(0, 1500))}`)
  }

  async function one(lane: { pipe: Pipe }): Promise<void> {
    const fuzzed = randomRequest(chance, world)
    // What waits behind an answer that closes the connection is asked again over the next one.
    for (let attempt = 0; attempt < 8; attempt++) {
      // One that is too large is answered as soon as that shows, before those that wait: it travels alone.
      const alone = fuzzed.bytes.length > HEAD_MAX_BYTES || attempt > 5
      if (!lane.pipe.isOpen()) lane.pipe = openPipe(port)
      const pipe = alone ? openPipe(port) : lane.pipe
      // A pipe that is silent for so long is closed, and what waits in it counts as not answered.
      const silence = setTimeout(() => pipe.close(), SILENCE_MS)
      const answer = await pipe.send(fuzzed)
      clearTimeout(silence)
      if (alone) pipe.close()
      if (!answer) continue
      judge(fuzzed, answer)
      return
    }
    complaints.push(`it was never answered\n  ${JSON.stringify(fuzzed.bytes.toString('latin1').slice(0, 1500))}`)
  }

  async function goOn(): Promise<void> {
    const lane = { pipe: openPipe(port) }
    const ahead = Array.from({ length: AHEAD }, async () => {
      while (asked < REQUESTS && complaints.length < 5) {
        asked++
        if (asked % 50 === 0) await askBroken(port, brokenRequest(chance, world), complaints)
        else await one(lane)
      }
    })
    await Promise.all(ahead)
    lane.pipe.close()
  }

  await Promise.all(Array.from({ length: PIPES }, goOn))
  expect(complaints.join('\n\n')).toBe('')
  expect(asked).toBeGreaterThanOrEqual(REQUESTS)
  const told = [...[...statuses].sort(([a], [b]) => a - b), ...[...doors].sort()].map((pair) => pair.join(': '))
  console.log(
    `${process.env.TEST_ENGINE}: ${asked} requests at random, seed ${SEED}; ${told.join(', ')}; ${anonymousMegabytes(own.service)} MB`,
  )
  // A fuzzer that is always refused at the door shows nothing.
  for (const expected of REQUESTS < RARE_FROM ? [common] : [common, rare]) {
    for (const end of expected.ends) expect(doors.get(end), end).toBeGreaterThan(0)
    for (const status of expected.statuses) expect(statuses.get(status), String(status)).toBeGreaterThan(0)
  }
  expect(anonymousMegabytes(own.service)).toBeLessThan(MEMORY_MAX_MB)
  expect(own.service.output()).not.toContain('"bug"')
  const before = await derived(workspace)
  await reindexWorkspace(await workspace.scope())
  expect(await derived(workspace)).toEqual(before)
  const code = await own.stop()
  expect(code, own.service.output().slice(-2000)).toBe(0)
})

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** It may be answered or hung up on, but not with a failure of ours, and not with silence. */
async function askBroken(port: number, bytes: Buffer, complaints: string[]): Promise<void> {
  const pipe = openPipe(port)
  const silence = setTimeout(() => pipe.close(), 2000)
  const answer = await pipe.send({ bytes, headOnly: false })
  clearTimeout(silence)
  pipe.close()
  if (answer && answer.status >= 500)
    complaints.push(`the status is ${answer.status}\n  ${JSON.stringify(bytes.toString('latin1').slice(0, 1500))}`)
}

/** What the process has taken for itself; the file that SQLite maps is the system's. */
function anonymousMegabytes({ process }: Service): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8')
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)
}
