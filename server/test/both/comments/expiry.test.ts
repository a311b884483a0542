import { beforeAll, expect, it } from 'vitest'
import { expireOldRows } from '../../../src/runtime/retention.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { newRecord } from '../files/files.ts'
import { newComment } from './comments.ts'

const DAY_MS = 86_400_000

let own: OwnService
let workspace: TestWorkspace

beforeAll(async () => {
  own = await ownService()
  workspace = await own.workspace()
})

/** The upkeep of a day that begins so many days from now. */
const upkeep = (days: number) => expireOldRows(own.runtime.engine, new Date(Date.now() + days * DAY_MS))

const isStored = (id: string) => sql`select 1 from comments where id = ${id}`.exists(own.runtime.engine.db)

it('removes a deleted comment after 30 days, but not the replies to it', async () => {
  const { api } = workspace
  const record = await newRecord(workspace)
  const gone = await newComment(api, record)
  const reply = await newComment(api, record, 'reply', { reply_to: gone.id })
  await api.delete(`/comments/${gone.id}`)
  await upkeep(29)
  expect(await isStored(gone.id)).toBe(true)
  await upkeep(31)
  expect([await isStored(gone.id), await isStored(reply.id)]).toEqual([false, true])
  expect((await api.put(`/comments/${gone.id}/restore`)).status).toBe(404)
  expect((await api.get(`/companies/${record}/comments`)).body.data).toEqual([reply])
  expect((await api.put(`/changes/${gone.id}/undo`)).body.errors.id[0]).toContain('deleted for good')
})

it('removes the comments of a record with it after 30 days', async () => {
  const { api } = workspace
  const record = await newRecord(workspace)
  const comment = await newComment(api, record)
  await api.delete(`/companies/${record}`)
  await upkeep(29)
  expect(await isStored(comment.id)).toBe(true)
  await upkeep(31)
  expect(await isStored(comment.id)).toBe(false)
})

it('removes the values from before with a resource that is deleted for good', async () => {
  const { api } = workspace
  await api.post('/schema', { name: 'Projects', singular: 'Project' })
  const record = await newRecord(workspace, 'projects')
  const comment = await newComment(api, `projects/${record}`, 'long '.repeat(1000))
  await api.put(`/comments/${comment.id}`, { body: 'short' })
  const kept = () => sql`select 1 from change_values where record_id = ${comment.id}`.exists(own.runtime.engine.db)
  expect(await kept()).toBe(true)
  await api.delete('/schema/projects')
  await api.delete('/schema/projects?permanently=true')
  await upkeep(0)
  expect([await isStored(comment.id), await kept()]).toEqual([false, false])
})
