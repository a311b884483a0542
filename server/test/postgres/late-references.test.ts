import { registry } from '@kith/contract/registry'
import { type Resource, resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { mergeRecords } from '../../src/records/merge/merge.ts'
import { createRecord, updateRecord } from '../../src/records/write.ts'
import type { Scope } from '../../src/scope/scope.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { findHolders } from '../../src/storage/tables/external-ids.ts'
import { ownService } from '../own-service.ts'
import type { TestWorkspace } from '../workspace.ts'
import { left, untilOneWaits } from './two-at-once.ts'

const asked = { raw: {}, loose: false, issues: [] }

/** Two companies that are to become one, and somebody who works for neither. */
async function parties({ api }: TestWorkspace) {
  const made = async (path: string, name: string): Promise<string> => (await api.post(path, { name })).body.data.id
  const [winner_id, loser_id] = [await made('/companies', 'Winner'), await made('/companies', 'Loser')]
  return { winner_id, loser_id, person_id: await made('/people', 'Bo') }
}

const own = await ownService()

const writes: [name: string, path: string, body: (loserId: string) => object, how: 'post' | 'put'][] = [
  ['a person', '/people', (id) => ({ name: 'Ada', company_id: id }), 'post'],
  ['a task', '/tasks', (id) => ({ title: 'Call', company_ids: [id] }), 'post'],
  ['an update', '/people', (id) => ({ company_id: id }), 'put'],
]

it.each(writes)(
  '%s that comes while its company is merged away waits, and is told that the company is gone',
  async (_, path, body, how) => {
    const workspace = await own.workspace()
    const { winner_id, loser_id, person_id } = await parties(workspace)
    const scope = await workspace.scope()
    const end = await left(scope, (inside) =>
      mergeRecords(inside, registry.companies, { winner_id, loser_ids: [loser_id] }),
    )
    const { api } = workspace
    const sent = how === 'post' ? api.post(path, body(loser_id)) : api.put(`${path}/${person_id}`, body(loser_id))
    await untilOneWaits(scope)
    await end()
    const answer = await sent
    expect(answer.status, answer.text).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([path === '/tasks' ? 'company_ids.0' : 'company_id'])
  },
)

type Late = (inside: Scope, ids: { loser_id: string; person_id: string }) => Promise<unknown>
const created = (resource: Resource, body: object) => (inside: Scope) => createRecord(inside, resource, { body, asked })

it.each<[string, string, Late]>([
  [
    'a person',
    '/people?filter[name][$eq]=Ada',
    (inside, { loser_id }) => created(registry.people, { name: 'Ada', company_id: loser_id })(inside),
  ],
  [
    'a task',
    '/tasks?include=companies',
    (inside, { loser_id }) => created(registry.tasks, { title: 'Call', company_ids: [loser_id] })(inside),
  ],
  [
    'an update',
    '/people?filter[name][$eq]=Bo',
    (inside, { loser_id, person_id }) =>
      updateRecord(inside, registry.people, { id: person_id, body: { company_id: loser_id }, asked }),
  ],
])('%s that is written when a merge of its company comes follows the winner', async (_, path, write) => {
  const workspace = await own.workspace()
  const ids = await parties(workspace)
  const scope = await workspace.scope()
  // Slots of the counts are random, and a writer of the same slot would wait for that alone.
  const apart = { ...scope, engine: { ...scope.engine, countSlot: () => 100 } }
  const end = await left(apart, (inside) => write(inside, ids))
  const merging = mergeRecords(scope, registry.companies, { winner_id: ids.winner_id, loser_ids: [ids.loser_id] })
  await untilOneWaits(scope)
  await end()
  await merging
  const { data } = (await workspace.api.get(path)).body
  expect(data).toHaveLength(1)
  if (path.startsWith('/people')) expect(data[0].attributes.company_id).toBe(ids.winner_id)
  else expect(data[0].relationships.companies.data).toEqual([{ type: 'companies', id: ids.winner_id }])
})

it('while a company is changed, or named by others, records that refer to it are made without waiting', async () => {
  const workspace = await own.workspace()
  const { loser_id } = await parties(workspace)
  const scope = await workspace.scope()
  const apart = { ...scope, engine: { ...scope.engine, countSlot: () => 100 } }
  const end = await left(apart, async (inside) => {
    await updateRecord(inside, registry.companies, { id: loser_id, body: { name: 'Renamed' }, asked })
    await createRecord(inside, registry.people, { body: { name: 'Ada', company_id: loser_id }, asked })
  })
  expect((await workspace.api.post('/people', { name: 'Eve', company_id: loser_id })).status).toBe(201)
  await end()
})

it('looking for the holder of a value during a merge that moves it locks the winner', async () => {
  const workspace = await own.workspace()
  const { winner_id, loser_id } = await parties(workspace)
  await workspace.api.put(`/companies/${loser_id}`, { custom_fields: { domains: ['moved.example'] } })
  const scope = await workspace.scope()
  const domains = resourceIn(scope.schema, 'companies').fields.list.find((field) => field.code === 'domains')
  if (!domains) throw new Error('There is no field for domains.')
  const end = await left(scope, (inside) =>
    mergeRecords(inside, registry.companies, { winner_id, loser_ids: [loser_id] }),
  )
  let found: string[] = []
  const looking = left(scope, async (inside) => {
    const holders = await findHolders(inside, registry.companies, { field: domains, keys: ['moved.example'] })
    found = holders.get('moved.example')?.map(({ id }) => id) ?? []
  })
  await untilOneWaits(scope)
  await end()
  const endLooking = await looking
  const free = sql`select id from records where id = ${winner_id} for no key update skip locked`
  const rows = await free.all(scope.engine.db)
  await endLooking()
  expect(found).toEqual([winner_id])
  expect(rows).toEqual([])
})
