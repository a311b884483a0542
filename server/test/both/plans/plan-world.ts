import { registry } from '@kith/contract/registry'
import { createUser } from '../../../src/accounts/users.ts'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { openScope } from '../../../src/fields/definitions.ts'
import { chanceFrom } from '../../../src/sample/chance.ts'
import { companyName } from '../../../src/sample/drafts.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { createField } from '../../../src/schema/define.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { Engine } from '../../../src/storage/engines/engine.ts'
import { type Ran, recorded } from '../../../src/storage/engines/recorded.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { columnsOf } from '../../../src/storage/engines/stored-table.ts'
import { insertExternalIds } from '../../../src/storage/tables/external-ids.ts'
import { addToCounts } from '../../../src/storage/tables/records.ts'
import { testEngine } from '../../engine.ts'
import { storedRecords } from '../../stored-rows.ts'

export const RECORDS = 4000

/**
 * A workspace with so many records, and statistics of them, that the databases plan for it as they do for a million.
 */
export type PlanWorld = {
  engine: Engine
  /** What is run while something is asked, by someone who remembers nothing of what was asked before. */
  statementsOf(ask: (scope: Scope) => Promise<unknown>, narrowMax?: number): Promise<Ran[]>
}

const hundred = Array.from({ length: 100 }, (_, index) => `One in a hundred ${index}`)

const fields = [
  { name: 'Half', type: 'select', options: ['Yes', 'No'] },
  { name: 'Hundredth', type: 'select', options: hundred },
  { name: 'Score', type: 'number' },
  { name: 'Revenue', type: 'currency' },
  { name: 'Founded', type: 'date' },
  { name: 'Labels', type: 'tags-input' },
  { name: 'Motto', type: 'text' },
]

export async function newPlanWorld(): Promise<PlanWorld> {
  const engine = await testEngine()
  const runtime = { engine, secret: 'x'.repeat(32), now: () => new Date() }
  await createUser(runtime, { name: 'Ada', email: 'ada@example.com' })
  const { slug } = await createWorkspace(runtime, { name: 'Plans', owner: 'ada@example.com' })
  for (const resource of ['companies', 'people'] as const) {
    for (const field of fields) await createField(await enterAsOperator(runtime, slug), resource, field)
  }
  const inverse = { code: 'staff', name: 'Staff' }
  const firm = { name: 'Firm', type: 'record', target: 'companies', inverse }
  await createField(await enterAsOperator(runtime, slug), 'people', firm)
  const sizes = { companies: RECORDS, people: RECORDS, opportunities: 0, tasks: 1000, notes: 0 }
  await loadSample(await enterAsOperator(runtime, slug, 'sample'), { sizes, seed: 1 })
  await settleNeighbours(engine)
  const { workspace: filled } = await enterAsOperator(runtime, slug)
  await moveEarlier(engine, filled.number)
  await giveIds(engine, filled.id)
  await fillInboxes(engine, filled.id)
  await engine.single.session.run(engine.dialect === 'postgres' ? 'vacuum analyze' : 'analyze', [])
  const { workspace, actor } = await enterAsOperator(runtime, slug)
  return {
    engine,
    async statementsOf(ask, narrowMax) {
      await engine.transaction((inside) => addToCounts({ engine, db: inside, workspace }, 'companies', 0))
      const ran: Ran[] = []
      const asked = { ...recorded(engine, ran), ...(narrowMax === undefined ? {} : { narrowMax: () => narrowMax }) }
      await ask(await openScope({ ...runtime, engine: asked }, { workspace, actor }))
      return ran
    },
  }
}

/** Counts of many other workspaces: where there is one only, it takes no index to find its own. */
function settleNeighbours(engine: Engine): Promise<void> {
  const text = (name: string) => ({ name, type: 'text' }) as const
  const number = (name: string) => ({ name, type: 'number' }) as const
  const columns = [text('workspace_id'), text('resource'), number('slot'), number('live'), number('version')]
  const rows = Array.from({ length: 1000 }, (_, index) => [`workspace ${index}`, 'companies', 0, 1, 1])
  return engine.transaction((inside) => engine.insertRows(inside, { table: 'record_counts', columns: columns }, rows))
}

/** Every company has an id of one system, and every hundredth has one of another. */
async function giveIds(engine: Engine, workspaceId: string): Promise<void> {
  const rows = await sql<{
    id: string
  }>`select id from ${storedRecords('companies')} where workspace_id = ${workspaceId} order by id`.all(engine.db)
  await engine.transaction(async (inside) => {
    const scope = { engine, db: inside, workspace: { id: workspaceId } }
    const given = (namespace: string, own: typeof rows) =>
      own.map(({ id }, index) => ({ record_id: id, namespace, external_id: `${namespace}-${index}`, position: 1 }))
    await insertExternalIds(scope, registry.companies, given('crm', rows))
    await insertExternalIds(
      scope,
      registry.companies,
      given(
        'rare',
        rows.filter((_, index) => index % 100 === 0),
      ),
    )
  })
}

/**
 * The owner follows every company by hand, is reminded of it as if it were a task, and is notified of it. Every second
 * notification is read, and a few are not mailed yet.
 */
async function fillInboxes(engine: Engine, workspaceId: string): Promise<void> {
  const each = sql`from members m cross join ${storedRecords('companies')} where m.workspace_id = ${workspaceId}`
  await sql`insert into follows (workspace_id, user_id, record_id, following)
    select m.workspace_id, m.user_id, r.id, 1 ${each}`.run(engine.single)
  await sql`insert into reminders (workspace_id, user_id, record_id, minutes_before, due_after, remind_at)
    select m.workspace_id, m.user_id, r.id, case when r.number % 2 = 0 then 60 end,
      case when r.number % 2 = 0 then r.created_at end, case when r.number % 2 = 1 then r.created_at end ${each}`.run(
    engine.single,
  )
  await sql`insert into notifications (workspace_id, user_id, id, reason, resource, record_id, number, read_at, mail_at)
    select m.workspace_id, m.user_id, r.id, 'commented', r.resource, r.id, 1,
      case when r.number % 2 = 0 then r.created_at end, case when r.number % 100 = 1 then r.created_at end ${each}`.run(
    engine.single,
  )
}

/** Moves from before whatever is walked later, as many as a busy day leaves behind. */
function moveEarlier(engine: Engine, workspace: number): Promise<void> {
  const numbers = ['workspace', 'resource', 'record']
  const chance = chanceFrom('moves')
  const rows = Array.from({ length: RECORDS }, (_, index) => {
    const at = new Date(Date.UTC(2026, 0, 1) + chance.below(1e9)).toISOString()
    return [workspace, 1, 1_000_000 + index, companyName(index, 1).toLowerCase(), at, at]
  })
  const columns = columnsOf([...numbers, 'name_key', 'updated_at', 'moved_at'], numbers)
  return engine.transaction((inside) => engine.insertRows(inside, { table: 'key_moves', columns }, rows))
}
