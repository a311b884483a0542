import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { expireContents } from '../../src/contents/contents.ts'
import { folderStore } from '../../src/contents/folder.ts'
import { chanceFrom } from '../../src/sample/chance.ts'
import { type Api, apiAt } from '../api.ts'
import { newRecord, sendFile, sha256 } from '../both/files/files.ts'
import { installation, newFolder } from '../installation.ts'
import { inRun } from '../run-length.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'

const KILLS = inRun({ short: 2, long: 40 })
const SENDERS = 6

/** A file that was sent, with its key. `id` is known if its response arrived. */
type Sent = { key: string; name: string; bytes: Buffer; id?: string }

type Listed = { id: string; attributes: { name: string; sha256: string; size: number } }

/** Sends files until the service is gone. */
async function sendUntilGone(api: Api, record: string, { sent, name }: { sent: Sent[]; name: string }): Promise<void> {
  for (let number = 0; ; number++) {
    // Some are large, so that they are hit while they arrive; some are equal, so that they share a content.
    const size = number % 3 === 0 ? 2_000_000 : number % 3 === 1 ? 20_000 : 10
    const bytes = Buffer.alloc(size, number % 3 === 2 ? 'same' : `${name} ${number} `)
    const one: Sent = { key: `${name} ${number}`, name: `${name} ${number}.bin`, bytes }
    sent.push(one)
    const answer = await sendFile(api, record, one.name, { bytes, 'Idempotency-Key': one.key }).catch(() => undefined)
    if (answer?.status !== 201) return
    one.id = answer.body.data.id
  }
}

async function filesOf(api: Api, record: string): Promise<Listed[]> {
  const all: Listed[] = []
  for (let page = 1; ; page++) {
    const { data } = (await api.get(`/companies/${record}/files?per_page=100&page=${page}`)).body
    all.push(...data)
    if (data.length < 100) return all
  }
}

async function contentHash({ base, token }: Api, id: string): Promise<string> {
  const response = await fetch(`${base}/files/${id}/content`, { headers: { Authorization: `Bearer ${token}` } })
  return response.ok ? sha256(await response.bytes()) : `status ${response.status}`
}

async function killed({ process }: Service): Promise<void> {
  const gone = once(process, 'exit')
  process.kill('SIGKILL')
  await gone
}

it('kill -9 at any step of uploads loses no file that was answered, and invents none', async () => {
  const folder = newFolder()
  const chance = chanceFrom('kill files')
  const { database, env, start } = await installation()
  let service = await start({ FILES_URL: `file:${folder}` })
  const runtime = runtimeAt(database.url, env.SECRET ?? '')
  const { api: first } = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  let api = first
  for (let kill = 0; kill < KILLS; kill++) {
    const record = await newRecord({ api })
    const sent: Sent[] = []
    const sending = Array.from({ length: SENDERS }, (_, index) =>
      sendUntilGone(api, record, { sent, name: `${kill}-${index}` }),
    )
    await pause(20 + chance.below(600))
    await killed(service)
    await Promise.all(sending)
    service = await start({ FILES_URL: `file:${folder}` })
    api = apiAt(service.url, first.token)

    const listed = new Map((await filesOf(api, record)).map((file) => [file.id, file]))
    for (const { id } of sent) if (id !== undefined) expect(listed.has(id)).toBe(true)
    // One whose answer was lost may be there, but nothing else, and never without its content.
    const byName = new Map(sent.map((one) => [one.name, one]))
    for (const { id, attributes } of listed.values()) {
      const hash = sha256(byName.get(attributes.name)?.bytes ?? '')
      expect([attributes.sha256, await contentHash(api, id)]).toEqual([hash, hash])
    }
    // Repeated with its key, each is there once.
    for (const { key, name, bytes, id } of sent) {
      const again = await sendFile(api, record, name, { bytes, 'Idempotency-Key': key })
      expect(again.status, again.text).toBe(201)
      if (id !== undefined) expect(again.body.data.id).toBe(id)
    }
    const names = (await filesOf(api, record)).map(({ attributes }) => attributes.name)
    expect(names.sort()).toEqual(sent.map(({ name }) => name).sort())
  }
  await service.stop()

  const { engine } = runtimeAt(database.url, env.SECRET ?? '')
  const store = folderStore(folder)
  const now = () => new Date(Date.now() + 25 * 3_600_000)
  await expireContents({ engine, store, now }, () => false)
  await engine.close()
  expect(readdirSync(store.drafts)).toEqual([])
})
