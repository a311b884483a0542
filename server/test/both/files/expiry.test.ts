import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { expireContents, openContents } from '../../../src/contents/contents.ts'
import { folderStore } from '../../../src/contents/folder.ts'
import { expireOldRows } from '../../../src/runtime/retention.ts'
import type { Runtime } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { closeWorkspace } from '../../../src/storage/tables/expiry.ts'
import { newFolder } from '../../installation.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord, sha256 } from './files.ts'

const DAY_MS = 86_400_000

let folder: string
let own: OwnService
let workspace: TestWorkspace
let record: string

beforeAll(async () => {
  folder = newFolder()
  own = await ownService({ FILES_URL: `file:${folder}` })
  workspace = await own.workspace()
  record = await newRecord(workspace)
})

/** The upkeep of a day that begins so many days from now. */
async function upkeep(days: number): Promise<void> {
  const { engine } = own.runtime
  const now = () => new Date(Date.now() + days * DAY_MS)
  await expireOldRows(engine, now())
  await expireContents({ engine, store: folderStore(folder), now }, () => false)
}

function isStored(text: string, { id } = workspace): boolean {
  const hash = sha256(text)
  return existsSync(join(folder, id, hash.slice(0, 2), hash))
}

/** A content that was stored by a process that has ended before its row was written. */
async function abandoned({ engine, now }: Runtime, text: string) {
  const contents = openContents({ engine, now, store: folderStore(folder), max_mb: 1 })
  const draft = await contents.receive(
    (async function* () {
      yield Buffer.from(text)
    })(),
  )
  return { contents, stored: await contents.store(workspace.id, draft) }
}

describe('the upkeep', () => {
  it('removes deleted files after 30 days, and keeps what others use', async () => {
    const { api } = workspace
    const files = [await newFile(api, record, 'a', 'once'), await newFile(api, record, 'b', 'twice')]
    const kept = await newFile(api, record, 'c', 'twice')
    for (const { id } of files) await api.delete(`/files/${id}`)
    await upkeep(29)
    expect([isStored('once'), isStored('twice')]).toEqual([true, true])
    expect((await api.put(`/files/${files[0]?.id}/restore`)).status).toBe(200)
    await api.delete(`/files/${files[0]?.id}`)
    await upkeep(31)
    expect([isStored('once'), isStored('twice')]).toEqual([false, true])
    expect((await api.get(`/files/${kept.id}/content`)).text).toBe('twice')
    expect((await api.put(`/files/${files[0]?.id}/restore`)).status).toBe(404)
  })

  it('removes the files of a record with it after 30 days', async () => {
    const { api } = workspace
    const gone = await newRecord(workspace)
    await newFile(api, gone, 'a', 'with its record')
    await api.delete(`/companies/${gone}`)
    await upkeep(29)
    expect(isStored('with its record')).toBe(true)
    await upkeep(31)
    expect(isStored('with its record')).toBe(false)
  })

  it('removes a content without a row after a day, and the drafts of interrupted uploads', async () => {
    const draft = join(folder, 'drafts', 'interrupted')
    writeFileSync(draft, 'some')
    await abandoned(own.runtime, 'left over')
    await upkeep(0.9)
    expect(isStored('left over')).toBe(true)
    const yesterday = new Date(Date.now() - DAY_MS)
    utimesSync(draft, yesterday, yesterday)
    await upkeep(1.1)
    expect(isStored('left over')).toBe(false)
    expect(readdirSync(join(folder, 'drafts'))).toEqual([])
    const rows = sql`select 1 from file_contents where sha256 = ${sha256('left over')}`
    expect(await rows.exists(own.runtime.engine.db)).toBe(false)
    await newFile(workspace.api, record, 'a', 'left over')
    await upkeep(2)
    expect(isStored('left over')).toBe(true)
  })

  it('removes nothing that an upload has claimed meanwhile, and finishes what another process has begun', async () => {
    const { engine } = own.runtime
    const first = await abandoned(own.runtime, 'claimed twice')
    const second = await abandoned(own.runtime, 'claimed twice')
    await first.contents.release(first.stored)
    expect(isStored('claimed twice')).toBe(true)
    // The process ends between the mark and the removal of the row.
    const dying = { ...folderStore(folder), remove: () => Promise.reject(new Error('The process is killed.')) }
    const release = openContents({ engine, now: own.runtime.now, store: dying, max_mb: 1 }).release
    await expect(release(second.stored)).rejects.toThrow('The process is killed.')
    await second.contents.release(second.stored)
    expect(isStored('claimed twice')).toBe(true)
    await upkeep(2)
    expect(isStored('claimed twice')).toBe(false)
    await newFile(workspace.api, record, 'a', 'claimed twice')
    expect(isStored('claimed twice')).toBe(true)
  })

  it('removes the contents of a deleted workspace, and then the workspace', async () => {
    const other = await own.workspace()
    await newFile(other.api, await newRecord(other), 'a', 'of another workspace')
    await closeWorkspace(own.runtime.engine.single, other.id, new Date().toISOString())
    const isThere = () => sql`select 1 from workspaces where id = ${other.id}`.exists(own.runtime.engine.db)
    await upkeep(0)
    expect([isStored('of another workspace', other), await isThere()]).toEqual([true, true])
    await upkeep(2)
    await upkeep(3)
    expect([isStored('of another workspace', other), await isThere()]).toEqual([false, false])
  })
})
