import { beforeEach, describe, expect, it } from 'vitest'
import { found } from '../../filtering.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import { type Specified, specified } from '../../specified.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeEach(async () => {
  workspace = await workspaceWithOwn()
})

describe('6. Delete is soft: the record vanishes from everything', () => {
  it.each(testedResources)('%s: 204, and then it is not found by any method', async (type) => {
    const { api } = workspace
    const { id } = await made(api, type)
    const answer = await api.delete(`/${type}/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    const message = `No ${declared(type).one} with the ID ${id} exists in this workspace.`
    for (const again of [
      await api.get(`/${type}/${id}`),
      await api.put(`/${type}/${id}`, { [declared(type).label]: 'Back' }),
      await api.patch(`/${type}/${id}`, {}),
      await api.delete(`/${type}/${id}`),
    ]) {
      expect([again.status, again.body]).toEqual([404, { message }])
    }
  })

  it.each(testedResources)('%s: it is in no list, total, page, cursor, query or filter', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    await workspace.field(type, { name: 'Motto', type: 'text' })
    await workspace.field(type, { name: 'Size', type: 'select', options: ['S'] })
    const custom_fields = { motto: 'same words', size: 'S' }
    const first = await made(api, type, { [label]: 'First', custom_fields })
    const second = await made(api, type, { [label]: 'Second', custom_fields })
    await gone(api, type, first.id)
    for (const query of [
      '',
      '?cursor=true',
      `?sort=${label}`,
      '?sort=custom_fields.motto',
      '?sort=-size',
      '?per_page=1',
    ]) {
      const { data, meta } = (await api.get(`/${type}${query}`)).body
      expect(data, query).toEqual([second])
      if (!query.includes('cursor')) expect([meta.total, meta.last_page, meta.to]).toEqual([1, 1, 1])
    }
    expect((await api.post(`/${type}/query`, {})).body.meta.total).toBe(1)
    for (const filter of [
      { [label]: { $contains: 's' } },
      { creator: { $in: [workspace.owner.id] } },
      { creation_source: { $eq: 'api' } },
      { created_at: { $gt: '2000-01-01' } },
      { custom_fields: { motto: { $contains: 'words' } } },
      { custom_fields: { motto: { $eq: 'same words' } } },
      { custom_fields: { size: { $in: ['S'] } } },
      { $not: { [label]: { $eq: 'nothing' } } },
    ]) {
      expect(await found(api, type, filter), JSON.stringify(filter)).toEqual(['Second'])
    }
    await gone(api, type, second.id)
    expect((await api.get(`/${type}`)).body).toMatchObject({ data: [], meta: { total: 0, from: null, to: null } })
  })

  it.each(testedResources)('%s: its unique values are free, and upsert does not find it', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    await workspace.field(type, { name: 'Ref', type: 'text', unique: true })
    await workspace.field(type, { name: 'Number', type: 'number', unique: true })
    const custom_fields = { ref: 'R1', number: 7 }
    const first = await made(api, type, { custom_fields })
    await gone(api, type, first.id)
    const upserted = await api.post(`/${type}/upsert`, { [label]: 'New', match: { field: 'ref', value: 'r1' } })
    expect(upserted.status).toBe(201)
    expect(upserted.body.data.id).not.toBe(first.id)
    await gone(api, type, upserted.body.data.id)
    expect((await made(api, type, { custom_fields })).attributes.custom_fields).toMatchObject(custom_fields)
  })

  it.each(testedResources)('%s: of two that hold a value one is left when the other is deleted', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    await workspace.field(type, { name: 'Ref', type: 'text' })
    const [first, second] = [
      await made(api, type, { custom_fields: { ref: 'twin' } }),
      await made(api, type, { custom_fields: { ref: 'twin' } }),
    ]
    expect(await workspace.updateField(type, 'ref', { unique: true })).toMatchObject({ duplicates: 1 })
    const body = { [label]: 'Found', match: { field: 'ref', value: 'TWIN' } }
    expect((await api.post(`/${type}/upsert`, body)).body.matches).toEqual([first.id, second.id])
    await gone(api, type, first.id)
    const upserted = await api.post(`/${type}/upsert`, body)
    expect([upserted.status, upserted.body.data.id]).toEqual([200, second.id])
    expect(await workspace.updateField(type, 'ref', { unique: true })).toMatchObject({ duplicates: 0 })
  })
})

describe('2. A deleted related record does not exist for anyone', () => {
  type Ids = Record<Specified, string>

  async function related(): Promise<Ids> {
    const { api } = workspace
    const companies = (await made(api, 'companies')).id
    const people = (await made(api, 'people', { company_id: companies })).id
    const opportunities = (await made(api, 'opportunities', { company_id: companies, contact_id: people })).id
    const links = { company_ids: [companies], people_ids: [people], opportunity_ids: [opportunities] }
    return {
      companies,
      people,
      opportunities,
      tasks: (await made(api, 'tasks', { title: 'One', ...links })).id,
      notes: (await made(api, 'notes', { title: 'One', ...links })).id,
    }
  }

  /** Which relation or count of which resource shows records of another. */
  const views: [deleted: Specified, seenFrom: Specified, relation: string | null, count: string | null][] = [
    ['companies', 'people', 'company', null],
    ['companies', 'opportunities', 'company', null],
    ['companies', 'tasks', 'companies', 'companiesCount'],
    ['companies', 'notes', 'companies', 'companiesCount'],
    ['people', 'companies', 'people', 'peopleCount'],
    ['people', 'opportunities', 'contact', null],
    ['people', 'tasks', 'people', 'peopleCount'],
    ['people', 'notes', 'people', 'peopleCount'],
    ['opportunities', 'companies', 'opportunities', 'opportunitiesCount'],
    ['opportunities', 'tasks', 'opportunities', 'opportunitiesCount'],
    ['opportunities', 'notes', 'opportunities', 'opportunitiesCount'],
    ['tasks', 'companies', null, 'tasksCount'],
    ['tasks', 'people', null, 'tasksCount'],
    ['tasks', 'opportunities', null, 'tasksCount'],
    ['notes', 'companies', null, 'notesCount'],
    ['notes', 'people', null, 'notesCount'],
    ['notes', 'opportunities', null, 'notesCount'],
  ]

  it.each(views)(
    '%s, seen from %s: gone from its relation %s and its count %s',
    async (type, from, relation, count) => {
      const { api } = workspace
      const ids = await related()
      const include = [relation, count].filter((name) => name !== null).join(',')
      const read = async () => (await api.get(`/${from}/${ids[from]}?include=${include}`)).body
      const before = await read()
      await gone(api, type, ids[type])
      const after = await read()
      if (count) {
        const name = declared(from).counts[count]?.attribute ?? ''
        expect([before.data.attributes[name], after.data.attributes[name]]).toEqual([1, 0])
      }
      expect(after.data.attributes.updated_at).toBe(before.data.attributes.updated_at)
      if (relation === null) return
      const many = Array.isArray(before.data.relationships[relation].data)
      expect(before.included.map((one: { id: string }) => one.id)).toEqual([ids[type]])
      expect(after.data.relationships[relation]).toEqual({ data: many ? [] : null })
      expect(after.included).toEqual([])
      const ones = ['One']
      expect(await found(api, from, { [relation]: { $in: [ids[type]] } })).toEqual([])
      expect(await found(api, from, { [relation]: { $not_in: [ids[type]] } })).toEqual(ones)
      expect(await found(api, from, { [relation]: { $is_empty: true } })).toEqual(ones)
      const { label } = declared(type)
      expect(await found(api, from, { [relation]: { [label]: { $eq: 'One' } } })).toEqual([])
      expect(await found(api, from, { $not: { [relation]: { [label]: { $eq: 'One' } } } })).toEqual(ones)
    },
  )

  it.each(specified)('%s: whatever was related to it stays', async (type) => {
    const ids = await related()
    await gone(workspace.api, type, ids[type])
    for (const other of specified) {
      const { status } = await workspace.api.get(`/${other}/${ids[other]}`)
      expect(status, other).toBe(other === type ? 404 : 200)
    }
  })

  it('a relation two steps away does not lead through what is deleted', async () => {
    const { api } = workspace
    const ids = await related()
    const filter = { people: { company: { name: { $eq: 'One' } } } }
    expect(await found(api, 'tasks', filter)).toEqual(['One'])
    await gone(api, 'companies', ids.companies)
    expect(await found(api, 'tasks', filter)).toEqual([])
    expect(await found(api, 'tasks', { people: { company: { $is_empty: true } } })).toEqual(['One'])
  })
})
