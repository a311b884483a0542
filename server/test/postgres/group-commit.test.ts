import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { createRecord, updateRecord, upsertRecord } from '../../src/records/write.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { labelField } from '../../src/storage/engines/search-fields.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { loadLiveCounts } from '../../src/storage/tables/records.ts'
import { newWorkspace } from '../workspace.ts'

const { companies, people } = registry
const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })

async function made(scope: Scope, body: object, resource = companies): Promise<string> {
  const { data } = await createRecord(scope, resource, sent(body))
  return String(data()[0]?.id)
}

/** The names of a workspace's companies, and in how many transactions they were written. */
async function written({ engine, workspace }: Scope) {
  const query = sql<{ name: string; by: string }>`
    select name, xmin::text as by from records where workspace = ${workspace.number} and resource = 1 order by name`
  const rows = await query.all(engine.db)
  return { names: rows.map((row) => row.name), transactions: new Set(rows.map((row) => row.by)).size }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Company ${index + 10}`)

it('writes that come at the same time are committed in one transaction, and counted', async () => {
  const scope = await (await newWorkspace()).scope()
  const names = numbered(20)
  await Promise.all(names.map((name) => made(scope, { name })))
  expect(await written(scope)).toEqual({ names, transactions: 1 })
  expect((await loadLiveCounts(scope)).companies).toBe(20)
})

it('changes of different records that come at the same time are committed in one transaction', async () => {
  const scope = await (await newWorkspace()).scope()
  const ids = await Promise.all(numbered(12).map((name) => made(scope, { name })))
  const bodies = ids.map((_, index) => ({ name: `Changed ${index + 10}`, custom_fields: { icp: index % 2 === 0 } }))
  const changed = await Promise.all(
    ids.map((id, index) => updateRecord(scope, companies, { id, ...sent(bodies[index]) })),
  )
  expect(changed.map(({ data }) => data()[0]?.attributes)).toMatchObject(bodies)
  const again = await Promise.all(ids.map((id) => updateRecord(scope, companies, { id, ...sent({}) })))
  expect(again.map(({ data }) => data()[0]?.attributes)).toMatchObject(bodies)
  const names = bodies.map(({ name }) => name)
  expect(await written(scope)).toEqual({ names, transactions: 1 })
  const texts = sql<string>`select text from search_texts
    where workspace = ${scope.workspace.number} and field = ${labelField('companies')} order by text`
  expect(await texts.column(scope.engine.db)).toEqual(names.map((name) => name.toLowerCase()))
})

it('a refused write does not affect the others of its group', async () => {
  const scope = await (await newWorkspace()).scope()
  await made(scope, { name: 'Holder', custom_fields: { domains: ['held.example'] } })
  const refused = [{ name: '' }, { name: 'Taken', custom_fields: { domains: ['held.example'] } }]
  const endings = await Promise.allSettled([{ name: 'A' }, ...refused, { name: 'B' }].map((body) => made(scope, body)))
  expect(endings.map((ending) => ending.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await written(scope)).toMatchObject({ names: ['A', 'B', 'Holder'], transactions: 2 })
})

it('if one write fails, the others are written without it', async () => {
  const scope = await (await newWorkspace()).scope()
  const { engine, workspace } = scope
  const failing = engine.groupTransaction(`${workspace.id} companies`, async (inside) => {
    const row = sql`999999, ${workspace.number}, 1, 'x', 'Half', 'half', 'half', 'api', '', '', '{}'`
    const twice = sql`insert into records (number, workspace, resource, id, name, name_key, duplicate_key,
      creation_source, created_at, updated_at, custom_fields) values (${row}), (${row})`
    await twice.run(inside)
  })
  const names = numbered(5)
  const endings = Promise.all(names.map((name) => made(scope, { name })))
  await expect(failing).rejects.toSatisfy((error) => engine.violation(error) === 'unique')
  await endings
  expect((await written(scope)).names).toEqual(names)
  expect((await loadLiveCounts(scope)).companies).toBe(5)
})

it('of several creates with the same unique value one succeeds', async () => {
  const scope = await (await newWorkspace()).scope()
  const bodies = numbered(10).map((name) => ({ name, custom_fields: { domains: ['same.example'] } }))
  const endings = await Promise.allSettled(bodies.map((body) => made(scope, body)))
  expect(endings.filter((ending) => ending.status === 'fulfilled')).toHaveLength(1)
  expect((await written(scope)).names).toHaveLength(1)
})

it('changes of one record that come at the same time are all kept', async () => {
  const { scope: open, field } = await newWorkspace()
  const codes = await Promise.all(
    [1, 2, 3].map(async (n) => (await field('companies', { name: `N${n}`, type: 'number' })).code),
  )
  const scope = await open()
  const id = await made(scope, { name: 'One' })
  const changes = codes.map((code, index) => ({ custom_fields: { [code]: index } }))
  await Promise.all(changes.map((body) => updateRecord(scope, companies, { id, ...sent(body) })))
  const { data } = await updateRecord(scope, companies, { id, ...sent({}) })
  expect(data()[0]?.attributes.custom_fields).toMatchObject(
    Object.assign({}, ...changes.map((one) => one.custom_fields)),
  )
})

it('upserts of many values at once make each of them once, and find it the next time', async () => {
  const scope = await (await newWorkspace()).scope()
  const upsertAll = () =>
    Promise.all(
      numbered(12).map((name, index) => {
        const match = { field: 'domains', value: `d${index}.example` }
        return upsertRecord(scope, companies, sent({ match, name }))
      }),
    )
  expect((await upsertAll()).map((one) => one.created)).not.toContain(false)
  expect((await upsertAll()).map((one) => one.created)).not.toContain(true)
  expect((await written(scope)).names).toHaveLength(12)
})

it('a write that must wait for a lock waits alone', async () => {
  const scope = await (await newWorkspace()).scope()
  const { engine, workspace } = scope
  const [changed, named] = [await made(scope, { name: 'Changed' }), await made(scope, { name: 'Named' })]
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = engine.transaction(async (inside) => {
    const both = sql`select 1 from records where workspace = ${workspace.number} and id in (${changed}, ${named}) for update`
    await both.run(inside)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const ended: string[] = []
  const told = async (name: string, write: Promise<unknown>) => {
    await write
    ended.push(name)
  }
  const waiting = [
    told('update', updateRecord(scope, companies, { id: changed, ...sent({ name: 'Changed again' }) })),
    told('person', made(scope, { name: 'Ada', company_id: named }, people)),
  ]
  await Promise.all([
    ...numbered(3).map((name) => told('other', made(scope, { name }))),
    told('other', made(scope, { name: 'Bo' }, people)),
  ])
  expect(ended).toEqual(['other', 'other', 'other', 'other'])
  release.resolve()
  await Promise.all([holder, ...waiting])
  expect((await written(scope)).names).toContain('Changed again')
})

it('a transaction with a failed statement does not succeed, even if its work ignores the error', async () => {
  const scope = await (await newWorkspace()).scope()
  const failing = scope.engine.transaction((inside) => sql`select 1 / 0`.run(inside).catch(() => 0))
  await expect(failing).rejects.toThrow('rolled back')
})
