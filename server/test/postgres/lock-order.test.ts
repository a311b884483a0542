import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { registry } from '@kith/contract/registry'
import { type BuiltInName, resourceNames } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import { createUser } from '../../src/accounts/users.ts'
import { enterAsOperator } from '../../src/accounts/workspace.ts'
import { createWorkspace } from '../../src/accounts/workspaces.ts'
import { runOperations } from '../../src/batch/run-operations.ts'
import { findChange } from '../../src/changes/undo/found-change.ts'
import { undoChange } from '../../src/changes/undo/undo-changes.ts'
import { createRecordTool } from '../../src/mcp/tools/write-records.ts'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { undoMerge } from '../../src/records/merge/undo-merge.ts'
import { removeRecord, restoreRecord } from '../../src/records/trash/restore.ts'
import { createRecord, updateRecord, upsertRecord } from '../../src/records/write.ts'
import { expireOldRows } from '../../src/runtime/retention.ts'
import { createField, updateField } from '../../src/schema/define.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { migrate } from '../../src/storage/migrations/migrate.ts'
import { migratedDatabase } from '../engine.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { jobsOf, lockOrder, ONCE, problemsOf, stepsOf } from './lock-steps.ts'
import { type Transaction, watchWire } from './wire-watch.ts'

const database = await migratedDatabase()
const wire = await watchWire(database.url)
const engine = openEngine({ url: wire.url, connections: 4 }, { writes: true })
await migrate(engine, new Date())
whenFileEnds(async () => {
  await engine.close()
  wire.stop()
  await database.drop()
})

const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })
const runtime = { engine, secret: 's'.repeat(32), now: () => new Date() }
let scope: Scope
let ids: Record<BuiltInName, [string, string]>

const newest = () => enterAsOperator(runtime, scope.workspace.slug)

async function made(type: BuiltInName, body: object): Promise<string> {
  const whole = { [registry[type].label]: 'One', ...body }
  return String((await createRecord(scope, registry[type], sent(whole))).data()[0]?.id)
}

/** Two of each resource. What refers to companies refers to the second ones, and so on. */
beforeEach(async () => {
  const slug = `w${Math.random().toString(36).slice(2)}`
  const owner = await createUser(runtime, { name: 'Ada', email: `${slug}@example.com` })
  await createWorkspace(runtime, { name: slug, slug, owner: owner.email })
  scope = await enterAsOperator(runtime, slug)
  await createField(scope, 'companies', { name: 'Code', type: 'text', unique: true })
  await createField(scope, 'companies', { name: 'Tier', type: 'select', options: ['A', 'B'] })
  scope = await newest()
  const custom_fields = { code: 'second', tier: 'A' }
  const second = { companies: await made('companies', { custom_fields }) } as Record<BuiltInName, string>
  const emails = ['second@x.example']
  second.people = await made('people', { company_id: second.companies, custom_fields: { emails } })
  second.opportunities = await made('opportunities', { company_id: second.companies, contact_id: second.people })
  const about = {
    company_ids: [second.companies],
    people_ids: [second.people],
    opportunity_ids: [second.opportunities],
  }
  for (const type of ['tasks', 'notes'] as const) second[type] = await made(type, about)
  const pairs = resourceNames.map(async (type) => [type, [await made(type, {}), second[type]]] as const)
  // All five are there.
  ids = Object.fromEntries(await Promise.all(pairs)) as typeof ids
  wire.committed.length = 0
})

const merge = (type: BuiltInName) => {
  const [winner_id, loser_id] = ids[type]
  return mergeRecords(scope, registry[type], { winner_id, loser_ids: [loser_id] })
}

const references = () => ({
  people: { company_id: ids.companies[0] },
  opportunities: { company_id: ids.companies[0], contact_id: ids.people[0] },
  tasks: { company_ids: ids.companies, people_ids: ids.people, opportunity_ids: ids.opportunities },
})

const update = (type: BuiltInName, body: object) =>
  updateRecord(scope, registry[type], { id: ids[type][1], ...sent(body) })
const changeField = async (code: string, input: object) =>
  updateField(await newest(), { entity_type: 'companies', code }, input)
const code = (value: string | null) => ({ custom_fields: { code: value } })

/** Every kind of write. */
const writes: [name: string, write: () => Promise<unknown>][] = [
  ['create', () => createRecord(scope, registry.companies, sent({ name: 'New', ...code('new') }))],
  ['create with references', () => made('opportunities', references().opportunities)],
  ['create with links', () => made('tasks', references().tasks)],
  [
    'create once',
    () => {
      const attributes = { name: 'New', ...code('new') }
      return createRecordTool.run(scope, { resource: 'companies', attributes, idempotency_key: ONCE }, { app_url: '' })
    },
  ],
  ['update', () => update('companies', { name: 'New', ...code('new') })],
  ['update with a reference', () => update('people', references().people)],
  ['update with references', () => update('opportunities', references().opportunities)],
  ['update with links', () => update('tasks', references().tasks)],
  ['update of many at once', () => Promise.all(ids.people.map((id) => renamed('people', id)))],
  ['upsert that creates', () => upsert('new')],
  ['upsert that updates', () => upsert('second')],
  [
    'update by a value',
    () => {
      const data = references().people
      return runOperations(scope, [{ op: 'update', resource: 'people', ...by('emails', 'second@x.example'), data }])
    },
  ],
  ['delete by a value', () => runOperations(scope, [{ op: 'delete', resource: 'companies', ...by('code', 'second') }])],
  ['delete', () => removeRecord(scope, registry.companies, { id: ids.companies[1] })],
  ...resourceNames.map((type): [string, () => Promise<unknown>] => [
    `restore of ${type}`,
    async () => {
      await removeRecord(scope, registry[type], { id: ids[type][1] })
      await restoreRecord(scope, registry[type], { id: ids[type][1] })
    },
  ]),
  ...resourceNames.map((type): [string, () => Promise<unknown>] => [`merge of ${type}`, () => merge(type)]),
  ...resourceNames.map((type): [string, () => Promise<unknown>] => [
    `undo of a merge of ${type}`,
    async () => undoMerge(scope, (await merge(type)).merge_id),
  ]),
  [
    'restore of a loser',
    async () => {
      await merge('companies')
      await restoreRecord(scope, registry.companies, { id: ids.companies[1] })
    },
  ],
  [
    'undo of an update with a reference',
    async () => {
      await update('people', { ...references().people, custom_fields: { emails: ['other@x.example'] } })
      await undone('update')
    },
  ],
  [
    'undo of a change of links',
    async () => {
      await update('tasks', references().tasks)
      await undone('update')
    },
  ],
  [
    'undo of a creation',
    async () => {
      await made('opportunities', references().opportunities)
      await undone('create')
    },
  ],
  [
    'undo of a deletion',
    async () => {
      await removeRecord(scope, registry.companies, { id: ids.companies[1] })
      await undone('delete')
    },
  ],
  [
    'undo of a merge by its change',
    async () => {
      await merge('companies')
      await undone('merge', ids.companies[1])
    },
  ],
  ['removal of an option', () => changeField('tier', { remove_options: ['A'] })],
  [
    'a field that becomes unique',
    () => changeField('code', { unique: false }).then(() => changeField('code', { unique: true })),
  ],
  [
    'purge',
    async () => {
      await merge('people')
      await removeRecord(scope, registry.companies, { id: ids.companies[1] })
      await expireOldRows(engine, new Date(Date.now() + 31 * 86_400_000))
    },
  ],
]

/** Undoes the last change of a kind. */
async function undone(action: string, record = ''): Promise<void> {
  const id =
    await sql<string>`select id from audit_log where workspace_id = ${scope.workspace.id} and action = ${action}
    and (${record} = '' or record_id = ${record}) order by id desc limit 1`.value(engine.db)
  await undoChange(scope, await findChange(scope, id ?? ''), { body: {}, expected: undefined, issues: [] })
}

function by(field: string, value: string) {
  return { match: { field, value } }
}

async function renamed(type: BuiltInName, id: string): Promise<unknown> {
  return updateRecord(scope, registry[type], { id, ...sent({ name: 'Renamed' }) })
}

function upsert(value: string): Promise<unknown> {
  const match = { field: 'code', value }
  return upsertRecord(scope, registry.companies, sent({ match, name: 'Upserted' }))
}

describe('fields, unique values, rows by table and id, counts: a write locks in this order', () => {
  it.each(writes)('%s', async (_, write) => {
    await write()
    const own = wire.committed.flatMap(jobsOf).filter((one) => stepsOf(one, scope).length > 0)
    expect(own.length).toBeGreaterThan(0)
    expect(own.map((one) => problemsOf(one, scope)).filter((one) => one.length > 0)).toEqual([])
  })

  it('what refers to others comes after them in the order', () => {
    const place = (table: string) => lockOrder.indexOf(table)
    const named = Object.values(registry).flatMap((resource) =>
      [...Object.values(resource.references), ...Object.values(resource.links)].map(({ to }) => [resource.type, to]),
    )
    const wrong = named.filter(([from = '', to = '']) => to !== 'users' && place(from) <= place(to))
    expect(wrong).toEqual([])
  })

  it('rows are locked in few places', () => {
    const folder = join(import.meta.dirname, '../../src')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const clause = /\bfor (key share|no key update|update)\b|\bfor(KeyShare|NoKeyUpdate|Update|Share)\(/
    const locking = files.filter((file) => clause.test(readFileSync(join(folder, file), 'utf8')))
    // By id; by a unique value; by those who change fields or rebuild the index, a whole resource; by a reader of the
    // feed, its head; a job, webhook or mailbox, by the node that works on it; and members, by what notifies them.
    expect(locking.sort()).toEqual([
      'storage/engines/sql.ts',
      'storage/migrations/schema/changes.ts',
      'storage/tables/external-ids.ts',
      'storage/tables/jobs.ts',
      'storage/tables/leases.ts',
      'storage/tables/links.ts',
      'storage/tables/mails.ts',
      'storage/tables/notifications.ts',
      'storage/tables/webhooks.ts',
    ])
  })
})

describe('a transaction that locks in another order is noticed', () => {
  const [low, high] = ['0'.repeat(26), '1'.repeat(26)]
  const writer = { workspace: { id: 'w' }, actor: { user_id: 'u' } }
  const fields = { text: 'select hold_fields($1, $2::bigint) as version', parameters: [] }
  const claims = { text: 'select pg_advisory_xact_lock(n) from …', parameters: ['{1}'] }
  const rows = (name: BuiltInName, id = low) => ({
    text: `select x.id from records x where … "x"."resource" = ${registry[name].number} … for no key update`,
    parameters: ['w', `{"${id}"}`],
  })
  const counts = { text: 'insert into record_counts …', parameters: [] }
  const cases: [string, Transaction, string[]][] = [
    ['none', [fields, claims, rows('companies'), rows('people'), counts], []],
    ['what refers first', [fields, rows('people'), rows('companies'), counts], ['companies after people']],
    ['rows before claims', [fields, rows('people'), claims], ['claims after people']],
    ['ids downwards', [fields, rows('people', high), rows('people')], ['people after people']],
    ['counts in between', [fields, counts, rows('people')], ['people after counts', 'something after the counts']],
    ['counts twice', [fields, counts, counts], ['counts after counts', 'something after the counts']],
    [
      'no lock at all',
      [fields, { text: 'update records set name = $1 where … "records"."resource" = 2', parameters: [] }],
      ['people written before it was locked'],
    ],
    [
      'no lock of a row by its number',
      [fields, { text: 'update records set name = $1 where number = $2', parameters: [] }],
      ['records written before it was locked'],
    ],
  ]
  it.each(cases)('%s', (_, transaction, problems) => expect(problemsOf(transaction, writer)).toEqual(problems))
})
