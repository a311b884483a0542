import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { newId } from '@kith/contract/id'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ContentStore } from './content-store.ts'
import { removeDrafts, writeDraft } from './draft.ts'
import { folderStore } from './folder.ts'

let root: string
let store: ContentStore
const workspace_id = newId(Date.now())
const settings = { max_mb: 1, now: new Date() }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kith-contents-'))
  store = folderStore(root)
})

afterEach(() => rmSync(root, { recursive: true }))

async function* sent(...parts: Uint8Array[]) {
  yield* parts
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function put(bytes: Uint8Array, workspace = workspace_id) {
  const draft = await writeDraft(store, sent(bytes.subarray(0, 3), bytes.subarray(3)), settings)
  const name = { workspace_id: workspace, sha256: draft.sha256 }
  await store.put(name, draft)
  return { ...name, size: draft.size }
}

async function stored() {
  return (await Array.fromAsync(store.list())).map(({ workspace_id: id, sha256 }) => `${id} ${sha256}`).sort()
}

describe('a folder of contents', () => {
  it('returns what it was given, whole and in parts', async () => {
    const bytes = randomBytes(200_000)
    const name = await put(bytes)
    expect(name).toMatchObject({ sha256: hashOf(bytes), size: bytes.length })
    const whole = await store.open(name, name)
    expect(whole && (await buffer(whole)).equals(bytes)).toBe(true)
    const part = await store.open(name, { ...name, range: { start: 10, end: 19 } })
    expect(part && (await buffer(part))).toEqual(bytes.subarray(10, 20))
  })

  it('stores equal bytes of a workspace once, and those of another one again', async () => {
    const bytes = Buffer.from('the same')
    const [one, same] = [await put(bytes), await put(bytes)]
    const other = await put(bytes, newId(Date.now()))
    expect(same).toEqual(one)
    expect(await stored()).toEqual([one, other].map((name) => `${name.workspace_id} ${name.sha256}`).sort())
  })

  it('is empty before anything is stored, and after everything is removed', async () => {
    expect(await stored()).toEqual([])
    const name = await put(Buffer.from('gone'))
    await store.remove(name)
    await store.remove(name)
    expect(await stored()).toEqual([])
    expect(await store.open(name, name)).toBeUndefined()
  })

  it('does not return a content of another size', async () => {
    const name = await put(Buffer.from('complete'))
    truncateSync(join(root, workspace_id, name.sha256.slice(0, 2), name.sha256), 4)
    expect(await store.open(name, name)).toBeUndefined()
  })

  it('lists contents only', async () => {
    mkdirSync(join(root, 'lost+found', 'x'), { recursive: true })
    mkdirSync(join(root, workspace_id, 'ab'), { recursive: true })
    writeFileSync(join(root, workspace_id, 'ab', 'notes.txt'), 'not a content')
    writeFileSync(join(root, workspace_id, 'README'), 'not a folder')
    expect(await stored()).toEqual([])
  })
})

describe('a draft', () => {
  it('is deleted if it is empty, too large or interrupted', async () => {
    async function* broken() {
      yield Buffer.from('begin')
      throw new Error('The connection was closed.')
    }
    await expect(writeDraft(store, sent(), settings)).rejects.toThrow('The file is empty.')
    const large = [new Uint8Array(1024 * 1024), new Uint8Array(1)]
    await expect(writeDraft(store, sent(...large), settings)).rejects.toThrow('at most 1 MB are accepted')
    await expect(writeDraft(store, broken(), settings)).rejects.toThrow('The connection was closed.')
    expect(readdirSync(store.drafts)).toEqual([])
  })

  it('of an upload that was interrupted long ago is deleted', async () => {
    await removeDrafts(store, new Date())
    const [old, young] = [await writeDraft(store, sent(Buffer.from('old')), settings), 'young']
    writeFileSync(join(store.drafts, young), young)
    const yesterday = new Date(Date.now() - 86_400_000)
    utimesSync(old.path, yesterday, yesterday)
    await removeDrafts(store, new Date(Date.now() - 3_600_000))
    expect(readdirSync(store.drafts)).toEqual([young])
  })
})
