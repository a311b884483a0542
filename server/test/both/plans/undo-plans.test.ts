import { newId } from '@kith/contract/id'
import { DAY_MS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withSource } from '../../../src/accounts/workspace.ts'
import { readChange } from '../../../src/changes/undo/read-change.ts'
import { askedUndos, undoChanges } from '../../../src/changes/undo/undo-changes.ts'
import { listRecords } from '../../../src/records/list.ts'
import { updateRecord } from '../../../src/records/write.ts'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import { auditTable } from '../../../src/storage/tables/audit-log.ts'
import { expectPlans } from './expect-plans.ts'
import { RECORD } from './plan-cases.ts'
import { newPlanWorld, type PlanWorld, RECORDS } from './plan-world.ts'

const asked = { raw: {}, loose: false, issues: [] }
const company = registry.companies
const since = new Date(Date.now() - DAY_MS).toISOString()
const own = { own: true, since }

let world: PlanWorld
/** The last changes of some companies. */
let changes: readonly string[]

beforeAll(async () => {
  world = await newPlanWorld()
  await world.statementsOf(async (operator) => {
    const scope = withSource(operator, 'web')
    const page = { ...asked, raw: { per_page: '100' } }
    const ids = (await listRecords(scope, company, page)).data().map(({ id }) => id)
    await inTransaction(scope, (inside) => fillLog(inside, ids))
    for (const id of ids.slice(0, 20)) await updateRecord(scope, company, { id, body: { name: `New ${id}` }, asked })
    changes = (await askedUndos(scope, own, [])).ids
  })
  await world.engine.single.session.run(world.engine.dialect === 'postgres' ? 'vacuum analyze' : 'analyze', [])
})
afterAll(() => world.engine.close())

/** Changes before the period, all of which are undone. */
function fillLog(inside: Scope, records: readonly string[]): Promise<void> {
  const about = { resource: 'companies', action: 'update', actor_id: null, source: 'api', token_id: null } as const
  const start = Date.now() - 2 * DAY_MS
  const ids = Array.from({ length: 4 * RECORDS }, (_, index) => newId(start + index))
  const rows = ids.map((id, index) => ({
    ...{ ...about, id, name: null, cause: null, save_of: null, changes: '[["name","A","B"]]' },
    record_id: records[index % records.length] ?? '',
    undo_of: index % 2 === 1 ? (ids[index - 1] ?? '') : null,
  }))
  return auditTable.insertAll(inside, rows)
}

it('the changes of a period are found along the log', async () => {
  expect(changes).toHaveLength(20)
  const statements = await world.statementsOf((scope) => askedUndos(withSource(scope, 'web'), own, []))
  await expectPlans(world.engine, statements, { uses: ['audit_log_pkey', 'audit_log_undo_of'] })
})

it('many changes are undone by look-ups of their records and entries', async () => {
  const statements = await world.statementsOf((scope) =>
    undoChanges(withSource(scope, 'web'), { ids: changes.slice(10), dry_run: true }),
  )
  await expectPlans(world.engine, statements, { uses: ['audit_log_pkey', 'audit_log_undo_of', RECORD] })
})

it('why a change cannot be undone is read from the later entries of its records', async () => {
  const ids = changes.slice(0, 10)
  await world.statementsOf(async (operator) => {
    const scope = withSource(operator, 'web')
    for (const id of ids) {
      const { record_id } = (await readChange(scope, id, [])).attributes
      await updateRecord(scope, company, { id: record_id, body: { name: `Newer ${id}` }, asked })
    }
  })
  const statements = await world.statementsOf(async (scope) => {
    const results = await undoChanges(withSource(scope, 'web'), { ids, dry_run: true })
    expect(results.map(({ status }) => status)).toEqual(ids.map(() => 422))
  })
  await expectPlans(world.engine, statements, { uses: ['audit_log_record', 'audit_log_undo_of'] })
})

it('one change is read by its id', async () => {
  const statements = await world.statementsOf((scope) => readChange(scope, changes[0] ?? '', []))
  // Of these there is one.
  const walks = ['users_pkey', 'tokens_workspace', 'connections_client', 'oauth_clients_client_id_key']
  await expectPlans(world.engine, statements, { uses: ['audit_log_pkey', 'audit_log_undo_of'], walks, looks: 50 })
})
