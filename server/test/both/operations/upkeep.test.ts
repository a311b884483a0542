import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { listAudit } from '../../../src/changes/audit-log.ts'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { listMerges } from '../../../src/records/merge/merges.ts'
import { readRecord } from '../../../src/records/read.ts'
import { removeRecord, restoreRecord } from '../../../src/records/trash/restore.ts'
import { listTrash } from '../../../src/records/trash/trash.ts'
import { createRecord } from '../../../src/records/write.ts'
import { expireOldRows } from '../../../src/runtime/retention.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { storedRecords, storedValues } from '../../stored-rows.ts'
import { newWorkspace, refusalOf, type TestRuntime, testRuntime } from '../../test-runtime.ts'
import { historyOf } from './audited.ts'

const DAY_MS = 86_400_000
const asked = { raw: {}, loose: false, issues: [] }

let runtime: TestRuntime
let scope: Scope

beforeAll(async () => {
  runtime = await testRuntime()
  const { slug, owner } = await newWorkspace(runtime)
  scope = await enterAsMember(runtime, slug, owner.id)
})

afterAll(() => runtime.engine.close())

async function make(type: keyof typeof registry, body: object = {}): Promise<string> {
  const sent = { body: { [registry[type].label]: 'One', ...body }, asked }
  return (await createRecord(scope, registry[type], sent)).data()[0]?.id ?? ''
}

async function rows(table: string) {
  return (await sql`select * from ${sql.table(table)}`.all(runtime.engine.db)).length
}

function pass(days: number): void {
  runtime.clock.now = new Date(runtime.clock.now.getTime() + days * DAY_MS)
}

it('puts away for good what has been in the trash for 30 days, and no more', async () => {
  const kept = await make('companies', { custom_fields: { domains: ['kept.example'] } })
  const late = await make('companies', { custom_fields: { domains: ['late.example'] } })
  const old = await make('companies', { custom_fields: { domains: ['old.example'] } })
  const task = await make('tasks', { company_ids: [kept, late, old] })
  const person = await make('people', { company_id: old })
  // A deletion is later than the last change.
  pass(1)
  await removeRecord(scope, registry.companies, { id: old })
  pass(1)
  await removeRecord(scope, registry.companies, { id: late })
  pass(29)
  await expireOldRows(runtime.engine, runtime.now())
  expect(await rows('records')).toBe(4)
  // The task keeps its link to the record that is gone, as a person keeps its reference.
  expect(await rows('links')).toBe(3)
  expect((await refusalOf(restoreRecord(scope, registry.companies, { id: old })))[0]).toMatch(/^not_found: No company/)
  expect((await listTrash(scope, {})).data.map(({ id }) => id)).toEqual([late])
  await restoreRecord(scope, registry.companies, { id: late })
  expect(await rows('field_values')).toBe(2)
  for (const [type, id] of [
    ['tasks', task],
    ['people', person],
    ['companies', kept],
  ] as const) {
    await removeRecord(scope, registry[type], { id })
  }
  pass(31)
  await expireOldRows(runtime.engine, runtime.now())
  expect(await rows('links')).toBe(0)
  for (const type of resourceNames) {
    const left = sql<string>`select id from ${storedRecords(type)}`
    expect(await left.column(runtime.engine.db)).toEqual(type === 'companies' ? [late] : [])
  }
})

it('leaves a record alone that is restored at the last moment, with all that belongs to it', async () => {
  const late = await make('companies', { custom_fields: { domains: ['last.example'] } })
  const task = await make('tasks', { company_ids: [late] })
  pass(1)
  await removeRecord(scope, registry.companies, { id: late })
  const almost = new Date(runtime.clock.now.getTime() + 30 * DAY_MS - 1)
  pass(30)
  /** Someone whose clock is a moment behind restores it once it was found to be old, and before it is deleted. */
  const restoring = once(() => restoreRecord({ ...scope, now: () => almost }, registry.companies, { id: late }))
  const { engine } = runtime
  const { dialect, run } = engine.single.session
  const first: typeof engine.single.session = {
    dialect,
    async run(text, parameters) {
      await restoring()
      return run(text, parameters)
    },
  }
  const transaction: typeof engine.transaction = async (work) => {
    await restoring()
    return engine.transaction(work)
  }
  await expireOldRows({ ...engine, single: { session: first }, transaction }, runtime.now())
  const { data } = await readRecord(scope, registry.tasks, {
    id: task,
    asked: {
      raw: { include: 'companies' },
      loose: false,
      issues: [],
    },
  })
  expect(data()[0]?.relationships?.companies?.data).toEqual([{ type: 'companies', id: late }])
  expect((await listTrash(scope, {})).total).toBe(0)
  const values = sql`select match_key from ${storedValues} where record_id = ${late}`
  expect(await values.all(runtime.engine.db)).toEqual([{ match_key: 'last.example' }])
  await removeRecord(scope, registry.companies, { id: late })
  await removeRecord(scope, registry.tasks, { id: task })
  pass(31)
  await expireOldRows(runtime.engine, runtime.now())
})

/** Does something the first time only. */
function once(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  return () => {
    done ??= work()
    return done
  }
}

it('forgets after 30 days what the undo of a merge needs, and its losers, but not into whom they were merged', async () => {
  const [winner, loser] = [await make('companies'), await make('companies')]
  await make('people', { company_id: loser })
  await make('tasks', { company_ids: [loser] })
  await mergeRecords(scope, registry.companies, { winner_id: winner, loser_ids: [loser] })
  pass(29.9)
  await expireOldRows(runtime.engine, runtime.now())
  expect((await listMerges(scope, {})).total).toBe(1)
  pass(0.2)
  const before = await rows('records')
  await expireOldRows(runtime.engine, runtime.now())
  expect([await rows('merges'), await rows('merge_moves'), await rows('merge_losers')]).toEqual([1, 0, 1])
  expect(await rows('records')).toBe(before - 1)
  const lost = await readRecord(scope, registry.companies, {
    id: loser,
    asked: { raw: {}, loose: true, issues: [] },
  }).catch((error) => error.reason)
  expect(lost).toMatchObject({ kind: 'not_found', merged_into: { id: winner, type: 'companies' } })
  // The next day finds nothing more to do.
  pass(1)
  await expireOldRows(runtime.engine, runtime.now())
  expect((await listMerges(scope, {})).data).toMatchObject([{ winner: { id: winner }, losers: [{ id: loser }] }])
})

it('keeps the audit log for 365 days, with the names of what is gone', async () => {
  const id = await make('notes', { title: 'Remembered' })
  await removeRecord(scope, registry.notes, { id })
  pass(40)
  await expireOldRows(runtime.engine, runtime.now())
  const history = await historyOf(scope, 'notes', id)
  expect(history.map(({ action, record_name }) => `${action} ${record_name}`)).toEqual([
    'delete Remembered',
    'create Remembered',
  ])
  pass(324.9)
  await expireOldRows(runtime.engine, runtime.now())
  expect(await historyOf(scope, 'notes', id)).toHaveLength(2)
  pass(0.2)
  await expireOldRows(runtime.engine, runtime.now())
  expect((await refusalOf(historyOf(scope, 'notes', id)))[0]).toMatch(/^not_found: No note/)
  expect((await listAudit(scope, {})).data).toEqual([])
})
