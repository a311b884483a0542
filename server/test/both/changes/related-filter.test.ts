import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { presentByResource } from '../../../src/changes/present-changes.ts'
import { readPart } from '../../../src/changes/read-part.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { deleteForGood } from '../../../src/storage/tables/expiry.ts'
import { gone, made } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'
import { follow, now, page } from './feed.ts'

type Case = {
  type: BuiltInName
  relation: string
  other: BuiltInName
  /** Makes a record of the type that is related to a new one of the other type. */
  reference: (ids: { other: string }) => object
}

const forward: readonly Case[] = [
  { type: 'people', relation: 'company', other: 'companies', reference: ({ other }) => ({ company_id: other }) },
  { type: 'opportunities', relation: 'contact', other: 'people', reference: ({ other }) => ({ contact_id: other }) },
  { type: 'tasks', relation: 'companies', other: 'companies', reference: ({ other }) => ({ company_ids: [other] }) },
  { type: 'notes', relation: 'people', other: 'people', reference: ({ other }) => ({ people_ids: [other] }) },
]

/** The reference is stored in the other record. */
const backward = [
  { type: 'companies', relation: 'people', other: 'people', reference: (id: string) => ({ company_id: id }) },
  { type: 'companies', relation: 'tasks', other: 'tasks', reference: (id: string) => ({ company_ids: [id] }) },
] as const

const related = [
  ...forward.map(({ reference, ...one }) => ({
    ...one,
    async make(api: Parameters<typeof made>[0]) {
      const other = (await made(api, one.other)).id
      return { id: (await made(api, one.type, reference({ other }))).id, other }
    },
  })),
  ...backward.map(({ reference, ...one }) => ({
    ...one,
    async make(api: Parameters<typeof made>[0]) {
      const { id } = await made(api, one.type)
      return { id, other: (await made(api, one.other, reference(id))).id }
    },
  })),
]

it.each(related)(
  'filters by $relation of $type compare what is stored, also when the other record is deleted',
  async ({ type, relation, other: otherType, make }) => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const { id, other } = await make(api)
    const before = await now(workspace)
    const filters = {
      in: { $in: [other] },
      not_in: { $not_in: [other] },
      empty: { $is_empty: true },
      full: { $is_empty: false },
    }
    const queries = {
      in: `filter[${relation}][$in][]=${other}`,
      not_in: `filter[${relation}][$not_in][]=${other}`,
      empty: `filter[${relation}][$is_empty]=true`,
      full: `filter[${relation}][$is_empty]=false`,
    }
    const names = ['in', 'not_in', 'empty', 'full'] as const

    /** What each reader under each filter gets of the record. */
    async function seen() {
      const scope = await workspace.scope()
      const part = await readPart(scope, { after: 0, limit: 1000 })
      const own = part.entries.filter((entry) => entry.attributes.record_id === id).slice(-1)
      return Promise.all(
        names.map(async (name) => {
          const { entries } = await follow(workspace, before, queries[name], `/${type}`)
          const first = await page(workspace, `cursor=start&${queries[name]}`, `/${type}`)
          const shaping = { filter: { [type]: { [relation]: filters[name] } }, changed: {}, payload: 'thin' as const }
          const webhook = await presentByResource(scope, own, shaping)
          return {
            name,
            feed: entries.filter((entry) => entry.attributes.record_id === id).map((entry) => entry.attributes.kind),
            snapshot: first.data.some((entry) => entry.attributes.record_id === id),
            webhook: webhook?.map((entry) => entry.attributes.kind),
          }
        }),
      )
    }
    const listed = async (name: (typeof names)[number]) => {
      const { body } = await api.get(`/${type}?${queries[name]}`)
      return body.data.some((record: { id: string }) => record.id === id)
    }

    const label = type === 'tasks' || type === 'notes' ? 'title' : 'name'
    await api.patch(`/${type}/${id}`, { [label]: 'Changed' })
    const there = await seen()
    const matching = { feed: ['updated'], snapshot: true, webhook: ['updated'] }
    const others = { feed: ['left'], snapshot: false, webhook: ['left'] }
    expect(there).toEqual([
      { name: 'in', ...matching },
      { name: 'not_in', ...others },
      { name: 'empty', ...others },
      { name: 'full', ...matching },
    ])
    await gone(api, otherType, other)
    expect(await seen()).toEqual(there)
    // A list shows the record without the other one, and filters it so.
    expect([await listed('in'), await listed('full'), await listed('empty')]).toEqual([false, false, true])
    const { entries } = await follow(workspace, before, queries.in, `/${type}`)
    const shown = entries.find((entry) => entry.attributes.record_id === id)?.attributes.record
    expect(JSON.stringify(shown)).not.toContain(other)
  },
)

it('a reference stays when the other record is put away for good', async () => {
  const workspace = await newWorkspace()
  const { api, runtime } = workspace
  const facts = (await workspace.scope()).workspace
  const company = (await made(api, 'companies')).id
  const before = await now(workspace)
  const task = (await made(api, 'tasks', { company_ids: [company] })).id
  const person = (await made(api, 'people', { company_id: company })).id
  await gone(api, 'companies', company)
  await deleteForGood(runtime.engine, registry.companies.number, { workspace: facts, ids: [company], before: '9999' })
  const left = await sql`select 1 from records where id = ${company}`.exists(runtime.engine.db)
  expect(left).toBe(false)
  for (const [type, relation, id] of [
    ['tasks', 'companies', task],
    ['people', 'company', person],
  ] as const) {
    const { entries } = await follow(workspace, before, `filter[${relation}][$in][]=${company}`, `/${type}`)
    expect(entries.map(({ attributes }) => [attributes.kind, attributes.record_id])).toEqual([['created', id]])
  }
})
