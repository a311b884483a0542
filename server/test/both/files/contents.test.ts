import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../installation.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord, sendFile, sha256 } from './files.ts'

let folder: string
let own: OwnService
let workspace: TestWorkspace

beforeAll(async () => {
  folder = newFolder()
  own = await ownService({ FILES_URL: `file:${folder}`, FILES_WORKSPACE_MB: '1', FILE_MAX_MB: '2' })
  workspace = await own.workspace()
})

/** The contents of a workspace, as the file system has them. */
function contentsOf({ id }: Pick<TestWorkspace, 'id'>): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return names.flatMap((one) => (one.isFile() && one.parentPath.includes(id) ? [one.name] : [])).sort()
}

const pathOf = ({ id }: TestWorkspace, hash: string) => join(folder, id, hash.slice(0, 2), hash)

describe('the folder of FILES_URL', () => {
  it('has a content under its SHA-256, once for each workspace, and no name of a user', async () => {
    const record = await newRecord(workspace)
    await Promise.all(['a.txt', '..', 'con', 'b'].map((name) => newFile(workspace.api, record, name, 'the same')))
    const other = await own.workspace()
    await newFile(other.api, await newRecord(other), 'a.txt', 'the same')
    const hash = sha256('the same')
    expect([contentsOf(workspace), contentsOf(other)]).toEqual([[hash], [hash]])
    expect(readFileSync(pathOf(workspace, hash), 'utf8')).toBe('the same')
    expect(readdirSync(folder).sort()).toEqual(['drafts', workspace.id, other.id].sort())
    expect(readdirSync(join(folder, 'drafts'))).toEqual([])
  })

  it('keeps nothing of a refused file', async () => {
    const { api } = workspace
    const before = contentsOf(workspace)
    const bytes = 'nobody may add this'
    const id = await newRecord(workspace)
    await api.delete(`/companies/${id}`)
    // With a key it may be the repetition of an earlier request, so it is received first.
    const missing = await sendFile(api, id, 'a.txt', { bytes, 'Idempotency-Key': `missing ${id}` })
    expect(missing.status).toBe(404)
    expect((await sendFile(api, await newRecord(workspace), 'a/b', { bytes })).status).toBe(422)
    expect(contentsOf(workspace)).toEqual(before)
    expect(readdirSync(join(folder, 'drafts'))).toEqual([])
  })

  it('may have lost a content: 404 says so, and the same bytes bring it back', async () => {
    const { api } = workspace
    const record = await newRecord(workspace)
    const file = await newFile(api, record, 'lost.txt', 'lost and found')
    const path = pathOf(workspace, file.attributes.sha256)
    for (const lose of [() => rmSync(path), () => writeFileSync(path, 'lost')]) {
      lose()
      const read = await api.get(`/files/${file.id}/content`)
      expect([read.status, read.body.message]).toEqual([404, expect.stringContaining('is missing where the service')])
      expect((await api.get(`/files/${file.id}`)).status).toBe(200)
      await newFile(api, record, 'found.txt', 'lost and found')
      expect((await api.get(`/files/${file.id}/content`)).text).toBe('lost and found')
    }
  })
})

describe('FILES_WORKSPACE_MB', () => {
  it('limits the bytes of a workspace, deleted files included, equal ones once: 422 on file', async () => {
    const limited = await own.workspace()
    const { api } = limited
    const record = await newRecord(limited)
    const half = Buffer.alloc(512 * 1024, 'a')
    const { id } = await newFile(api, record, 'half.bin', half)
    await newFile(api, record, 'same.bin', half)
    await newFile(api, record, 'other.bin', Buffer.alloc(512 * 1024, 'b'))
    for (const state of ['live', 'deleted']) {
      const refused = await sendFile(api, record, `${state}.bin`)
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['file']])
      expect(refused.body.message).toContain('may have 1 MB together')
      if (state === 'live') await api.delete(`/files/${id}`)
    }
    // Nothing more is stored.
    await newFile(api, record, 'again.bin', half)
    expect(contentsOf(limited)).toHaveLength(2)
  })

  it('holds for files that arrive at the same time', async () => {
    const limited = await own.workspace()
    const record = await newRecord(limited)
    const sent = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((letter) =>
        sendFile(limited.api, record, letter, { bytes: Buffer.alloc(400 * 1024, letter) }),
      ),
    )
    expect(sent.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422])
    expect(contentsOf(limited)).toHaveLength(2)
  })
})
