import { OWN_FROM } from '@kith/contract/resource'
import { expect, test } from 'vitest'
import { expireDeleted } from '../../../src/runtime/retention.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { madeResource } from '../../own-resource.ts'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { ended, newImport, sendFile } from '../jobs/jobs.ts'

const projects = { name: 'Projects', singular: 'Project' }

/** How many rows the workspace has of everything that belongs to records of own resources. */
async function rowsOf({ id, runtime }: TestWorkspace): Promise<Record<string, number>> {
  const { db } = runtime.engine
  const number = await sql<number>`select number from workspaces where id = ${id}`.value(db)
  const counts: Record<string, number> = {
    records: await sql`select count(*) as n from records
      where workspace = ${number} and resource >= ${OWN_FROM}`.count(db),
    field_values: await sql`select count(*) as n from field_values where workspace = ${number}`.count(db),
  }
  for (const table of ['external_ids', 'merges', 'merge_losers', 'merge_moves', 'job_files']) {
    counts[table] = await sql`select count(*) as n from ${sql.table(table)} where workspace_id = ${id}`.count(db)
  }
  return counts
}

test('a resource that is deleted permanently leaves no rows, once the background work is done', async () => {
  const workspace = await newWorkspace()
  const { api, runtime } = workspace
  await madeResource(workspace, projects)
  await workspace.field('projects', { name: 'Key', type: 'text' })
  const kept = await made(api, 'projects', { custom_fields: { key: 'a' }, external_ids: { crm: '1' } })
  const loser = await made(api, 'projects', { custom_fields: { key: 'b' } })
  await made(api, 'tasks', { project_ids: [loser.id] })
  expect((await api.put(`/projects/${kept.id}/merge`, { loser_ids: [loser.id] })).status).toBe(200)
  const job = await newImport(api, { resource: 'projects', dry_run: true })
  await sendFile(api, job, 'name\nOne\n')
  await ended(api, job)
  const before = await rowsOf(workspace)
  for (const [table, count] of Object.entries(before)) expect(count, table).toBeGreaterThan(0)

  expect((await api.delete('/schema/projects')).status).toBe(204)
  expect((await api.delete('/schema/projects?permanently=true')).status).toBe(204)
  await expireDeleted(runtime.engine, () => false)
  expect(await rowsOf(workspace)).toEqual(Object.fromEntries(Object.keys(before).map((table) => [table, 0])))

  // Another resource with the code is not touched.
  await madeResource(workspace, projects)
  await made(api, 'projects')
  await expireDeleted(runtime.engine, () => false)
  expect(await rowsOf(workspace)).toMatchObject({ records: 1 })
})
