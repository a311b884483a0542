import { firstIdAt } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import { readHead } from '../../../src/changes/position.ts'
import { readAt } from '../../../src/changes/read-part.ts'
import { createRecord } from '../../../src/records/write.ts'
import { expireChanges, numberAllChanges } from '../../../src/runtime/retention.ts'
import { loadSample } from '../../../src/sample/load.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { loadFeedHead } from '../../../src/storage/tables/changes.ts'
import { newWorkspace, type TestRuntime, testRuntime } from '../../test-runtime.ts'

const DAY_MS = 86_400_000
const asked = { raw: {}, loose: false, issues: [] }
const isStopped = () => false

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await testRuntime()
})

afterAll(() => runtime.engine.close())

async function room(): Promise<Scope> {
  const { slug, owner } = await newWorkspace(runtime)
  return enterAsMember(runtime, slug, owner.id)
}

function make(scope: Scope, name: string): Promise<unknown> {
  return createRecord(scope, registry.companies, { body: { name }, asked })
}

function kept({ engine, workspace }: Scope): Promise<number[]> {
  return sql<number>`select c.sequence from changes c
    where c.workspace_id = ${workspace.id} order by c.sequence`.column(engine.db)
}

it('entries are kept CHANGES_DAYS days and deleted in whole days, oldest first', async () => {
  const scope = await room()
  const began = runtime.clock.now
  await make(scope, 'old')
  const old = await readHead(scope)
  runtime.clock.now = new Date(began.getTime() + DAY_MS)
  await make(scope, 'a day later')
  const late = await readHead(scope)
  // On the last moment of the 90th day after the first entries, all are kept; a moment later those of a day go.
  const midnight = Date.parse('2026-11-15T00:00:00.000Z')
  await expireChanges(runtime.engine, new Date(midnight + 90 * DAY_MS - 1), { days: 90, isStopped })
  expect((await kept(scope)).at(0)).toBe(1)
  await expireChanges(runtime.engine, new Date(midnight + 90 * DAY_MS), { days: 90, isStopped })
  expect(await kept(scope)).toEqual([late])
  expect(late).toBe(old + 1)
  // Numbers go on when no entry is left.
  await expireChanges(runtime.engine, new Date(midnight + 100 * DAY_MS), { days: 90, isStopped })
  expect(await kept(scope)).toEqual([])
  expect(await readHead(scope)).toBe(late)
  await make(scope, 'another')
  expect(await readHead(scope)).toBe(late + 1)
  expect(await kept(scope)).toEqual([late + 1])
})

it('one run deletes any number of entries, in batches, and only those before the first that is kept', async () => {
  runtime.clock.now = new Date(runtime.clock.now.getTime() + DAY_MS)
  const scope = await room()
  for (let part = 0; part < 3; part++) {
    const names = Array.from({ length: 800 }, (_, index) => `${part} ${index}`)
    for (let start = 0; start < names.length; start += 50) {
      await Promise.all(names.slice(start, start + 50).map((name) => make(scope, name)))
    }
  }
  const head = await readHead(scope)
  const written = (time: number) => sql`id = ${firstIdAt(time).slice(0, 10)} || substr(id, 11)`
  await sql`update changes set ${written(Date.parse('2020-01-01'))}
    where workspace_id = ${scope.workspace.id}`.run(runtime.engine.single)
  await make(scope, 'new')
  await readHead(scope)
  await sql`update changes set ${written(runtime.clock.now.getTime())}
    where workspace_id = ${scope.workspace.id} and sequence = ${head - 3}`.run(runtime.engine.single)
  await expireChanges(runtime.engine, runtime.clock.now, { days: 7, isStopped })
  expect(await kept(scope)).toEqual([head - 3, head - 2, head - 1, head, head + 1])
})

it('entries are kept by the time when they were written: those of sample data, too', async () => {
  const scope = await room()
  const sample = await enterAsOperator(runtime, scope.workspace.slug, 'sample')
  await loadSample(sample, { sizes: { companies: 3 }, seed: 1 })
  const all = await kept(scope)
  const times = (await readAt(scope, all)).map(({ attributes }) => Date.parse(attributes.at))
  expect(Math.min(...times)).toBeLessThan(runtime.clock.now.getTime() - 7 * DAY_MS)
  await expireChanges(runtime.engine, runtime.clock.now, { days: 7, isStopped })
  expect(await kept(scope)).toEqual(all)
})

it('the upkeep numbers the changes of workspaces without readers', async () => {
  const scope = await room()
  await make(scope, 'unread')
  await numberAllChanges(runtime.engine, isStopped)
  const { sequence: head } = await loadFeedHead(scope)
  expect(head).toBeGreaterThan(0)
  expect((await kept(scope)).at(-1)).toBe(head)
  expect(await readHead(scope)).toBe(head)
})
