import { newId } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import { resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../../src/accounts/users.ts'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { openScope } from '../../../src/fields/definitions.ts'
import { listRecords } from '../../../src/records/list.ts'
import { searchRecords } from '../../../src/records/search.ts'
import { storeWrites } from '../../../src/records/store.ts'
import { updateField } from '../../../src/schema/define.ts'
import { inTransaction, type Runtime, type Scope } from '../../../src/scope/scope.ts'
import { openEngine } from '../../../src/storage/engines/open-engine.ts'
import { type Ran, recorded } from '../../../src/storage/engines/recorded.ts'
import { documentField, labelField } from '../../../src/storage/engines/search-fields.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { migrate } from '../../../src/storage/migrations/migrate.ts'
import { findTaken } from '../../../src/storage/tables/field-values.ts'
import { addToCounts } from '../../../src/storage/tables/records.ts'
import { migratedDatabase, type TestDatabase } from '../../engine.ts'
import { type Work, workOf } from './work-of.ts'

/** So many records of another workspace hold exactly what is asked for here. */
const THEIRS = 2000
const MINE = 40
const companies = registry.companies

/** Someone who wants to learn, by how long it takes, what others hold. */
const questions: [name: string, ask: (scope: Scope) => Promise<unknown>][] = [
  ['a unique value that only they hold', (scope) => taken(scope, 'secret.example')],
  ['a unique value that is held here, too', (scope) => taken(scope, 'held.example')],
  ['a unique value that no record holds', (scope) => taken(scope, 'nobody.example')],
  ['a part of a name that only they have', (scope) => list(scope, { name: { $contains: 'zephyr secret' } })],
  ['three letters of it', (scope) => list(scope, { name: { $contains: 'zep' } })],
  ['two letters of it', (scope) => list(scope, { name: { $contains: 'ze' } })],
  ['a part of a name that is here, too', (scope) => list(scope, { name: { $contains: 'held' } })],
  ['a value of theirs', (scope) => list(scope, { custom_fields: { domains: { $has_any: ['secret.example'] } } })],
  ['a search for their name', (scope) => searchRecords(scope, { query: 'Zephyr Secret' })],
  ['a search for their value', (scope) => searchRecords(scope, { query: 'secret.example' })],
]

async function taken(scope: Scope, key: string): Promise<unknown> {
  const field = resourceIn(scope.schema, 'companies').fields.byCode.get('domains')
  return field && findTaken(scope, [{ field, key }], [])
}

function list(scope: Scope, filter: object): Promise<unknown> {
  return listRecords(scope, companies, { raw: { filter }, loose: false, issues: [] })
}

let database: TestDatabase
let runtime: Runtime
const before = new Map<string, Work[]>()
let mine = ''
let theirs = ''

beforeAll(async () => {
  database = await migratedDatabase()
  const engine = openEngine({ url: database.url, connections: 4 }, { writes: true })
  runtime = { engine, secret: 'x'.repeat(32), now: () => new Date() }
  await migrate(engine, new Date())
  await createUser(runtime, { name: 'Ada', email: 'ada@example.com' })
  const made = async (name: string) => (await createWorkspace(runtime, { name, owner: 'ada@example.com' })).slug
  mine = await made('Mine')
  theirs = await made('Theirs')
  await updateField(
    await enterAsOperator(runtime, theirs),
    { entity_type: 'companies', code: 'domains' },
    { unique: false },
  )
  // As many as later: how many records there are in all is no secret, and what the databases go by when they plan.
  const others = await enterAsOperator(runtime, theirs)
  await fillWith(await enterAsOperator(runtime, mine), MINE, (index) => [
    `Held ${index}`,
    index === 0 ? 'held.example' : `own-${index}.example`,
  ])
  await fillWith(others, THEIRS, (index) => [`Other ${index}`, `other-${index}.example`])
  await settle()
  for (const [name, ask] of questions) before.set(name, await workFor(ask))
  await empty(others)
  const both = ['secret.example', 'held.example']
  await fillWith(others, THEIRS, (index) => [`Zephyr Secret Held ${index}`, both[index % 2] ?? ''])
  await settle()
})

afterAll(async () => {
  await runtime.engine.close()
  await database.drop()
})

/** Records in one go, with all that belongs to them. */
async function fillWith(scope: Scope, size: number, of: (index: number) => [name: string, domain: string]) {
  const field = resourceIn(scope.schema, 'companies').fields.byCode.get('domains')
  if (!field) throw new Error('Every workspace has this field.')
  const at = new Date().toISOString()
  const records = Array.from({ length: size }, (_, index) => {
    const [label, domain] = of(index)
    const values = [[field, [domain]] as const]
    const id = newId(Date.now())
    return { id, label, references: new Map(), creation_source: 'sample', created_at: at, values, links: [] }
  })
  await inTransaction(scope, (inside) => storeWrites(inside, companies, records))
}

async function empty({ engine: { single, search }, workspace: { number } }: Scope): Promise<void> {
  await search.keepOnly(single, number, [])
  for (const table of ['field_values', 'records']) {
    await sql`delete from ${sql.table(table)} where workspace = ${number}`.run(single)
  }
  await search.addFields(single, number, [labelField(companies), documentField(companies)])
}

/** Statistics, and whatever is put off until there is time. */
async function settle(): Promise<void> {
  const { single, dialect } = runtime.engine
  await single.session.run(dialect === 'postgres' ? 'vacuum analyze' : 'analyze', [])
}

/** The work of a question that is asked for the first time. */
async function workFor(ask: (scope: Scope) => Promise<unknown>, slug = mine): Promise<Work[]> {
  // Counts have several random slots.
  const engine = { ...runtime.engine, countSlot: () => 0 }
  const { workspace, actor } = await enterAsOperator(runtime, slug)
  await engine.transaction((inside) => addToCounts({ engine, db: inside, workspace }, 'companies', 0))
  const ran: Ran[] = []
  await ask(await openScope({ ...runtime, engine: recorded(engine, ran) }, { workspace, actor }))
  return workOf(engine, database.url, ran)
}

describe('what another workspace holds does not show in the work of', () => {
  it.each(questions)('%s', async (name, ask) => {
    const [known, after] = [before.get(name) ?? [], await workFor(ask)]
    expect(after.length).toBeGreaterThan(0)
    expect(after.map(({ sql }) => sql)).toEqual(known.map(({ sql }) => sql))
    expect([...known, ...after].flatMap(({ unbounded }) => unbounded)).toEqual([])
    if (runtime.engine.dialect === 'sqlite' || name.startsWith('a unique value')) expect(after).toEqual(known)
    // PostgreSQL takes the one index or the other, by its statistics of everybody's texts. With either, it looks
    // at ours alone: at each record once or twice, and at its three texts.
    else for (const { steps } of [...known, ...after]) expect(Math.max(...steps)).toBeLessThanOrEqual(5 * MINE)
  })

  it('others, though it shows in that of those who hold it', async () => {
    const ask = (scope: Scope) => list(scope, { name: { $contains: 'zephyr' } })
    const work = async (slug: string) => Math.max(...(await workFor(ask, slug)).flatMap(({ steps }) => steps))
    expect(await work(theirs)).toBeGreaterThan(4 * (await work(mine)))
  })
})
