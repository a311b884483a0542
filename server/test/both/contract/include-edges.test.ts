import { newId } from '@kith/contract/id'
import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { storeWrites } from '../../../src/records/store.ts'
import { inTransaction } from '../../../src/scope/scope.ts'
import type { Api } from '../../api.ts'
import { newWorld } from '../../include-world.ts'
import { numberedBodies, stock } from '../../lists.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

/** A record with all it includes: its attributes, and the ids behind each relation. */
async function readWhole(api: Api, type: BuiltInName, id: string, include: string) {
  const { status, body, text } = await api.get(`/${type}/${id}?include=${include}`)
  expect(status, text).toBe(200)
  const relationships: Record<string, { data: { id: string } | { id: string }[] | null }> = body.data.relationships
  const related = Object.entries(relationships).map(([name, { data }]) => [
    name,
    Array.isArray(data) ? data.map((one) => one.id) : (data?.id ?? null),
  ])
  const included: string[] = body.included.map((record: { id: string }) => record.id)
  return { attributes: body.data.attributes, related: Object.fromEntries(related), included }
}

describe('a deleted related record does not exist for anyone', () => {
  const links = 'companies,people,opportunities,companiesCount,peopleCount,opportunitiesCount'

  it('a company: references to it read null, it is in no list and in no count', async () => {
    const { workspace, full } = await newWorld()
    const { api } = workspace
    expect((await api.delete(`/companies/${full.companies}`)).status).toBe(204)
    for (const type of ['people', 'opportunities'] as const) {
      const { attributes, related, included } = await readWhole(api, type, full[type], 'company')
      expect(attributes.company_id).toBeNull()
      expect(related.company).toBeNull()
      expect(included).toEqual([])
      const { body } = await api.get(`/${type}?include=company`)
      expect(body.included).toEqual([])
      for (const { attributes } of body.data) expect(attributes.company_id).toBeNull()
    }
    for (const type of ['tasks', 'notes'] as const) {
      const { attributes, related, included } = await readWhole(api, type, full[type], links)
      expect(related.companies).toEqual([])
      expect(attributes).toMatchObject({ companies_count: 0, people_count: 2, opportunities_count: 1 })
      expect(included).not.toContain(full.companies)
    }
  })

  it('a person', async () => {
    const { workspace, full, people } = await newWorld()
    const { api } = workspace
    const [ada, bob] = people
    expect((await api.delete(`/people/${ada}`)).status).toBe(204)
    const company = await readWhole(api, 'companies', full.companies, 'people,peopleCount')
    expect(company).toMatchObject({ related: { people: [bob] }, included: [bob], attributes: { people_count: 1 } })
    const deal = await readWhole(api, 'opportunities', full.opportunities, 'contact')
    expect(deal).toMatchObject({ related: { contact: null }, included: [], attributes: { contact_id: null } })
    for (const type of ['tasks', 'notes'] as const) {
      const { attributes, related, included } = await readWhole(api, type, full[type], links)
      expect(related.people).toEqual([bob])
      expect(attributes.people_count).toBe(1)
      expect(included).not.toContain(ada)
    }
  })

  it('an opportunity', async () => {
    const { workspace, full, deals } = await newWorld()
    const { api } = workspace
    const [deal, second] = deals
    expect((await api.delete(`/opportunities/${deal}`)).status).toBe(204)
    const company = await readWhole(api, 'companies', full.companies, 'opportunities,opportunitiesCount')
    expect(company.related).toEqual({ opportunities: [second] })
    expect(company.attributes.opportunities_count).toBe(1)
    for (const type of ['tasks', 'notes'] as const) {
      const { attributes, related } = await readWhole(api, type, full[type], links)
      expect(related.opportunities).toEqual([])
      expect(attributes.opportunities_count).toBe(0)
    }
  })

  it.each(['tasks', 'notes'] as const)('%s: they are counted no more', async (type) => {
    const { workspace, full, people } = await newWorld()
    const { api } = workspace
    const count = async (resource: BuiltInName, id: string) => {
      const { body } = await api.get(`/${resource}/${id}?include=${type}Count`)
      return body.data.attributes[`${type}_count`]
    }
    const linked = [
      ['companies', full.companies],
      ['people', people[1]],
      ['opportunities', full.opportunities],
    ] as const
    for (const [resource, id] of linked) expect(await count(resource, id)).toBe(1)
    expect((await api.delete(`/${type}/${full[type]}`)).status).toBe(204)
    for (const [resource, id] of linked) expect(await count(resource, id)).toBe(0)
  })
})

describe('a member who left the workspace is nobody', () => {
  it('creator, accountOwner and assignees do not show them', async () => {
    const { workspace, member, full } = await newWorld()
    const { api, owner } = workspace
    const theirs = await workspace.token({ user: member })
    const { id } = (await theirs.post('/notes', { title: 'Mine' })).body.data
    const before = await readWhole(api, 'notes', id, 'creator')
    expect(before.related).toEqual({ creator: member.id })
    await workspace.remove(member)
    expect(await readWhole(api, 'notes', id, 'creator')).toMatchObject({ related: { creator: null }, included: [] })
    const company = await readWhole(api, 'companies', full.companies, 'accountOwner,creator')
    expect(company.related).toEqual({ accountOwner: null, creator: owner.id })
    expect(company.attributes.account_owner_id).toBeNull()
    expect(company.included).toEqual([owner.id])
    const task = await readWhole(api, 'tasks', full.tasks, 'assignees,assigneesCount')
    expect(task).toMatchObject({ related: { assignees: [owner.id] }, attributes: { assignees_count: 1 } })
    const empty = (resource: string, relation: string) => `/${resource}?filter[${relation}][$is_empty]=true`
    expect((await api.get(empty('notes', 'creator'))).body.data).toHaveLength(1)
    expect((await api.get(`${empty('companies', 'accountOwner')}&filter[name][$eq]=Acme`)).body.data).toHaveLength(1)
  })
})

/** Puts so many records of a company into the workspace at once. */
async function crowd(workspace: TestWorkspace, type: 'people' | 'opportunities', count: number, company: string) {
  await inTransaction(await workspace.scope(), async (inside) => {
    const at = inside.now()
    const records = Array.from({ length: count }, () => ({
      id: newId(at.getTime()),
      label: 'One of many',
      references: new Map([['company_id', company]]),
      creation_source: 'sample',
      created_at: at.toISOString(),
      values: [],
      links: [],
    }))
    await storeWrites(inside, registry[type], records)
  })
}

describe('to-many includes are complete up to 1,000 related records for each record', () => {
  it.each(['people', 'opportunities'] as const)('past that meta.truncated names the relation: %s', async (type) => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const [big = '', full = '', small = ''] = await stock(workspace, 'companies', numberedBodies('companies', 3))
    await crowd(workspace, type, 1001, big)
    await crowd(workspace, type, 1000, full)
    const query = `include=creator,${type},${type}Count&fields[${type}]=name`

    const truncated = (await api.get(`/companies/${big}?${query}`)).body
    expect(truncated.meta).toEqual({ truncated: [type] })
    expect(truncated.data.relationships[type].data).toHaveLength(1000)
    expect(truncated.included).toHaveLength(1001)
    expect(truncated.data.attributes[`${type}_count`]).toBe(1001)

    const complete = (await api.get(`/companies/${full}?${query}`)).body
    expect(complete).not.toHaveProperty('meta')
    expect(new Set(complete.data.relationships[type].data.map(({ id }: { id: string }) => id)).size).toBe(1000)

    for (const answer of [
      await api.get(`/companies?${query}`),
      await api.get(`/companies?cursor=true&${query}`),
      await api.post('/companies/query', { include: ['creator', type], fields: { [type]: 'name' } }),
    ]) {
      const { data, included, meta } = answer.body
      expect(meta.truncated).toEqual([type])
      const sizes = data.map((company: { id: string; relationships: Record<string, { data: unknown[] }> }) => [
        company.id,
        company.relationships[type]?.data.length,
      ])
      expect(sizes).toEqual([
        [small, 0],
        [full, 1000],
        [big, 1000],
      ])
      expect(included).toHaveLength(2001)
    }
    const without = await api.get(`/companies?include=${type}Count,creator`)
    expect(without.body.meta).not.toHaveProperty('truncated')
  })
})
