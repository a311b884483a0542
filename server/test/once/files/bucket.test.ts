import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { newId } from '@kith/contract/id'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ContentStore } from '../../../src/contents/content-store.ts'
import { writeDraft } from '../../../src/contents/draft.ts'
import { openStore } from '../../../src/contents/open-store.ts'
import { newFile, newRecord, sendFile } from '../../both/files/files.ts'
import { bucketServer, KEYS } from '../../bucket-server.ts'
import { newFolder } from '../../installation.ts'
import { ownService } from '../../own-service.ts'

let server: Awaited<ReturnType<typeof bucketServer>>

beforeAll(async () => {
  server = await bucketServer()
})

function storeAt(url: string, keys = KEYS, onTrouble: (error: unknown) => void = () => {}): ContentStore {
  return openStore({ FILES_URL: url, DATABASE_URL: `file:${newFolder()}/kith.db`, ...keys }, onTrouble)
}

async function put(store: ContentStore, workspace_id: string, bytes: Buffer) {
  const draft = await writeDraft(
    store,
    (async function* () {
      yield Buffer.from(bytes)
    })(),
    { max_mb: 10, now: new Date() },
  )
  const name = { workspace_id, sha256: draft.sha256 }
  await store.put(name, draft)
  return { ...name, size: draft.size }
}

describe('a bucket of an S3-compatible service', () => {
  it('returns what it was given, whole and in parts, and lists and removes it', async () => {
    const store = storeAt(server.url)
    const workspace_id = newId(Date.now())
    const bytes = randomBytes(3 * 1024 * 1024)
    const names = [await put(store, workspace_id, bytes), await put(store, workspace_id, Buffer.from('small'))]
    const [large] = names
    if (!large) throw new Error('Nothing was stored.')
    const whole = await store.open(large, large)
    expect(whole && (await buffer(whole)).equals(bytes)).toBe(true)
    const part = await store.open(large, { ...large, range: { start: 100, end: 199 } })
    expect(part && (await buffer(part)).equals(bytes.subarray(100, 200))).toBe(true)
    expect(await store.open(large, { size: 1 })).toBeUndefined()
    expect(readdirSync(store.drafts)).toEqual([])
    const listed = (await Array.fromAsync(store.list())).filter((one) => one.workspace_id === workspace_id)
    expect(listed.map(({ sha256 }) => sha256).sort()).toEqual(names.map(({ sha256 }) => sha256).sort())
    await store.remove(large)
    await store.remove(large)
    expect(await store.open(large, large)).toBeUndefined()
  })

  it('is 503 with Retry-After while it does not answer, or with a wrong key, and says why in the log', async () => {
    const reasons: string[] = []
    const store = storeAt(server.url, { ...KEYS, S3_SECRET_KEY: 'wrong' }, (error) => reasons.push(String(error)))
    await expect(put(store, newId(Date.now()), Buffer.from('a'))).rejects.toThrow('cannot be reached at the moment')
    expect(reasons).toEqual([expect.stringContaining('SignatureDoesNotMatch')])
  })

  it('holds the files of a service', async () => {
    const own = await ownService({ FILES_URL: server.url, ...KEYS })
    const { api, ...workspace } = await own.workspace()
    const record = await newRecord({ api })
    const file = await newFile(api, record, 'digits.txt', '0123456789')
    await newFile(api, record, 'same.txt', '0123456789')
    const read = await api.get(`/files/${file.id}/content`, { headers: { Range: 'bytes=3-5' } })
    expect([read.status, read.text, read.headers.get('content-length')]).toEqual([206, '345', '3'])
    expect((await api.get(`/files/${file.id}/content`)).text).toBe('0123456789')
    const stored = await Array.fromAsync(storeAt(server.url).list())
    expect(stored.filter(({ workspace_id }) => workspace_id === workspace.id)).toEqual([
      { workspace_id: workspace.id, sha256: file.attributes.sha256, size: 10 },
    ])
    // Nothing else is in the bucket.
    const names = readdirSync(join(server.folder, 'kith-files', 'crm'))
    expect(names).toContain(workspace.id)
    await server.stop()
    const refused = await sendFile(api, record, 'late.txt', { bytes: 'too late' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    expect((await api.get(`/files/${file.id}/content`)).status).toBe(503)
    expect((await api.get(`/companies/${record}/files`)).body.meta.total).toBe(2)
  })
})
