import { expect, it } from 'vitest'
import { enterAsOperator } from '../../src/accounts/workspace.ts'
import { loadSample } from '../../src/sample/load.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { migrate } from '../../src/storage/migrations/migrate.ts'
import { page } from '../both/changes/feed.ts'
import { made } from '../records.ts'
import { newWorkspace, type TestWorkspace } from '../workspace.ts'

/** How far the other server was ahead. */
const AHEAD = 1_000_000_000

const later = (clock: string) => `(${clock}::text::bigint + ${AHEAD})::text::xid8`

/** As if this workspace came from a dump of a server with higher transaction ids. */
async function asFromAnotherServer({ id, runtime }: TestWorkspace): Promise<void> {
  await sql`update new_changes set clock = ${sql.raw(later('clock'))} where workspace_id = ${id}`.run(
    runtime.engine.single,
  )
  await sql`update change_heads set snapshot = format('%s:%s:', x, x)::pg_snapshot
    from (select ${sql.raw(later('pg_snapshot_xmax(pg_current_snapshot())'))} as x) ahead
    where workspace_id = ${id}`.run(runtime.engine.single)
}

/** A workspace with two changes, of which the first has a number. */
async function movedWorkspace(): Promise<{ workspace: TestWorkspace; cursor: string }> {
  const workspace = await newWorkspace()
  await made(workspace.api, 'people')
  const cursor = (await page(workspace, 'cursor=now')).meta.next_cursor
  await made(workspace.api, 'people')
  await asFromAnotherServer(workspace)
  return { workspace, cursor }
}

async function expectNewFeed({ api }: TestWorkspace, old: string): Promise<void> {
  const gone = await api.get(`/changes?cursor=${old}`)
  expect([gone.status, gone.body.reason]).toEqual([410, 'restored'])
  const begin = (await page({ api }, 'cursor=now')).meta
  expect(begin.head).toBeGreaterThan(Date.now() - 600_000)
  for (const at of [1, 2]) {
    const { id } = await made(api, 'people')
    const { data, meta } = await page({ api }, `cursor=${begin.next_cursor}`)
    expect([data.length, meta.head]).toEqual([at, begin.head + at])
    expect(data.at(-1)?.attributes.record_id).toBe(id)
  }
}

it('after a dump was restored on a server with lower transaction ids the feed starts again and goes on', async () => {
  const { workspace, cursor } = await movedWorkspace()
  await expectNewFeed(workspace, cursor)
})

it('so it does if only changes without a number come from the future', async () => {
  const { workspace, cursor } = await movedWorkspace()
  await sql`update change_heads set snapshot = '100:100:' where workspace_id = ${workspace.id}`.run(
    workspace.runtime.engine.single,
  )
  await expectNewFeed(workspace, cursor)
})

it('a start handles it before this server reaches the transaction ids of the other one', async () => {
  const { workspace } = await movedWorkspace()
  const { engine } = workspace.runtime
  const epoch = () => sql<string>`select epoch from change_heads where workspace_id = ${workspace.id}`.value(engine.db)
  expect(await epoch()).toBe('')
  await migrate(engine, new Date())
  const fresh = await epoch()
  expect(fresh).not.toBe('')
  await migrate(engine, new Date())
  expect(await epoch()).toBe(fresh)
})

it('sample data has its numbers before the first reader', async () => {
  const { id, slug, runtime } = await newWorkspace()
  await loadSample(await enterAsOperator(runtime, slug, 'sample'), { sizes: { companies: 3 }, seed: 1 })
  const numbered = sql`select count(*) from changes where workspace_id = ${id}`.count(runtime.engine.db)
  expect(await numbered).toBeGreaterThanOrEqual(3)
})
