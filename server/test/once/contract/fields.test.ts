import { attributeNames, countAttributeNames, type Resource, type ResourceName } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type Body, eachResource, errorsOf, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import type { TestWorkspace } from '../../workspace.ts'

type Shown = { id: string; type: string; attributes: Record<string, unknown> }

/** A unique text field, so that every resource can be upserted, and one more to choose from. */
async function workspaceWithFields(type: ResourceName): Promise<TestWorkspace> {
  const workspace = await workspaceWithOwn()
  await workspace.field(type, { name: 'Ref', type: 'text', unique: true })
  await workspace.field(type, { name: 'Score', type: 'number' })
  return workspace
}

/** The same selection on every endpoint that answers with records. */
async function everyAnswer(workspace: TestWorkspace, { type, label }: Resource, query: string, fields: unknown) {
  const { api } = workspace
  const body = (ref: string): Body => ({ [label]: 'One', custom_fields: { ref, score: 3 } })
  const upsert = (ref: string) => ({ ...body(ref), match: { field: 'ref', value: ref } })
  const [id] = await stock(workspace, type, [body('a')])
  const answers: [string, Answered][] = [
    ['create', await api.post(`/${type}?${query}`, body('b'))],
    ['upsert that creates', await api.post(`/${type}/upsert?${query}`, upsert('c'))],
    ['upsert that updates', await api.post(`/${type}/upsert?${query}`, upsert('c'))],
    ['update by PUT', await api.put(`/${type}/${id}?${query}`, { custom_fields: { score: 4 } })],
    ['update by PATCH', await api.patch(`/${type}/${id}?${query}`, { custom_fields: { score: 3 } })],
    ['read', await api.get(`/${type}/${id}?${query}`)],
    ['list', await api.get(`/${type}?${query}`)],
    ['list by cursor', await api.get(`/${type}?cursor=true&${query}`)],
    ['query', await api.post(`/${type}/query`, { fields })],
  ]
  return answers
}

function recordsIn({ body }: Answered): Shown[] {
  return Array.isArray(body.data) ? body.data : [body.data]
}

describe.each(eachResource)('sparse fieldsets of %s', (type, resource) => {
  const { label } = resource

  it('work wherever include does: list, query, read, create, update and upsert', async () => {
    const workspace = await workspaceWithFields(type)
    const fields = `${label},custom_fields.score,updated_at`
    for (const [where, answer] of await everyAnswer(workspace, resource, `fields=${fields}`, fields)) {
      expect(answer.status, where).toBeLessThan(300)
      const records = recordsIn(answer)
      expect(records.length, where).toBeGreaterThan(0)
      for (const record of records) {
        expect(Object.keys(record), where).toEqual(['id', 'type', 'attributes'])
        expect(record.type).toBe(type)
        expect(record.id).toMatch(/^[0-9a-z]{26}$/)
        expect(Object.keys(record.attributes), where).toEqual([label, 'updated_at', 'custom_fields'])
        expect(Object.keys(record.attributes.custom_fields ?? {}), where).toEqual(['score'])
      }
    }
  })

  it('for the listed type by its name, too', async () => {
    const workspace = await workspaceWithFields(type)
    const query = `fields[${type}]=${label}`
    for (const [where, answer] of await everyAnswer(workspace, resource, query, { [type]: label })) {
      for (const record of recordsIn(answer)) expect(record.attributes, where).toEqual({ [label]: 'One' })
    }
  })

  it('allowed: every attribute of the type; id and type always stay', async () => {
    const workspace = await workspaceWithFields(type)
    const { api } = workspace
    await stock(workspace, type, [{ [label]: 'One', custom_fields: { ref: 'a', score: 1 } }])
    const whole: Shown = (await api.get(`/${type}`)).body.data[0]
    expect(Object.keys(whole.attributes)).toEqual(attributeNames(resource))
    for (const name of Object.keys(whole.attributes)) {
      const { body } = await api.get(`/${type}?fields=${name}`)
      expect(body.data).toEqual([{ id: whole.id, type, attributes: { [name]: whole.attributes[name] } }])
    }
  })

  it('allowed: custom_fields.<code>, of every active field; custom_fields is all of them', async () => {
    const workspace = await workspaceWithFields(type)
    const { api } = workspace
    await stock(workspace, type, [{ [label]: 'One', custom_fields: { ref: 'a', score: 1 } }])
    const { custom_fields: all } = (await api.get(`/${type}`)).body.data[0].attributes
    const shown = async (fields: string) => (await api.get(`/${type}?fields=${fields}`)).body.data[0].attributes
    for (const code of Object.keys(all)) {
      expect(await shown(`custom_fields.${code}`)).toEqual({ custom_fields: { [code]: all[code] } })
    }
    expect(await shown('custom_fields.score,custom_fields.ref')).toEqual({ custom_fields: { ref: 'a', score: 1 } })
    expect(await shown('custom_fields')).toEqual({ custom_fields: all })
    expect(await shown('custom_fields,custom_fields.ref')).toEqual({ custom_fields: all })
  })

  it('counts are shown where they are both included and among the fields', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, [{ [label]: 'One' }])
    const attributes = async (query: string) => (await api.get(`/${type}?${query}`)).body.data[0].attributes
    const counts = countAttributeNames(resource)
    const include = Object.keys(resource.counts).join(',')
    const zeros = Object.fromEntries(counts.map((name) => [name, 0]))
    expect(await attributes(`include=${include}&fields=${[label, ...counts]}`)).toEqual({ [label]: 'One', ...zeros })
    expect(await attributes(`include=${include}&fields=${label}`)).toEqual({ [label]: 'One' })
    expect(await attributes(`include=${include}&fields=${counts[0]}`)).toEqual({ [counts[0] ?? '']: 0 })
    expect(await attributes(`fields=${[label, ...counts]}`)).toEqual({ [label]: 'One' })
  })

  it('for included records, too; users have name and email', async () => {
    const workspace = await workspaceWithOwn()
    const { api, owner } = workspace
    await stock(workspace, type, [{ [label]: 'One' }])
    const included = async (fields: string) => (await api.get(`/${type}?include=creator&${fields}`)).body
    const user = (attributes: object) => [{ id: owner.id, type: 'users', attributes }]
    expect((await included('fields[users]=name')).included).toEqual(user({ name: owner.name }))
    expect((await included('fields[users]=email')).included).toEqual(user({ email: owner.email }))
    expect((await included(`fields=${label}`)).included).toEqual(user({ name: owner.name, email: owner.email }))
    const { data } = await included(`fields[${type}]=${label}&fields[users]=name`)
    expect(data[0].attributes).toEqual({ [label]: 'One' })
    expect(data[0].relationships).toEqual({ creator: { data: { id: owner.id, type: 'users' } } })
  })

  it('unknown: 422 naming it and what is accepted', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const [id] = await stock(workspace, type, [{ [label]: 'One' }])
    const unknown = [
      'id',
      'type',
      'creator_id',
      'workspace_id',
      'deleted_at',
      'name_key',
      'nothing',
      'custom_fields.nothing',
    ]
    for (const name of unknown) {
      for (const asking of [
        api.get(`/${type}?fields=${label},${name}`),
        api.get(`/${type}/${id}?fields=${name}`),
        api.put(`/${type}/${id}?fields=${name}`, { [label]: 'Two' }),
        api.post(`/${type}?fields=${name}`, { [label]: 'Two' }),
        api.post(`/${type}/query`, { fields: [name] }),
      ]) {
        const errors = await errorsOf(asking)
        expect(Object.keys(errors)).toEqual(['fields'])
        expect(errors.fields?.[0]).toContain(name)
        expect(errors.fields?.[0]).toContain(`Accepted: ${attributeNames(resource).join(', ')}`)
      }
    }
    expect((await api.get(`/${type}`)).body.data.map((record: Shown) => record.attributes[label])).toEqual(['One'])
    const close = await errorsOf(api.get(`/${type}?fields=craeted_at`))
    expect(close.fields?.[0]).toContain('Did you mean created_at?')
    const inType = await errorsOf(api.get(`/${type}?fields[users]=password&fields[widgets]=name`))
    expect(Object.keys(inType).sort()).toEqual(['fields.users', 'fields.widgets'])
    expect(inType['fields.users']?.[0]).toContain('Accepted: name, email.')
    expect(inType['fields.widgets']?.[0]).toContain('widgets')
  })

  it('in a /query body: string, list of strings, or object by type', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, [{ [label]: 'One' }])
    const attributes = async (fields: unknown) => {
      const { status, body, text } = await api.post(`/${type}/query`, { fields })
      expect(status, text).toBe(200)
      return Object.keys(body.data[0].attributes)
    }
    for (const fields of [
      `${label},created_at`,
      ` created_at , ${label} `,
      [label, 'created_at'],
      [`${label},created_at`],
      { [type]: `${label},created_at` },
      { [type]: [label, 'created_at'], users: 'name' },
    ]) {
      expect(await attributes(fields)).toEqual([label, 'created_at'])
    }
    for (const unsent of [null, '', [], {}, { [type]: null }]) {
      expect(await attributes(unsent)).toEqual(attributeNames(resource))
    }
    for (const [wrong, path] of [
      [7, 'fields'],
      [true, 'fields'],
      [[7], 'fields'],
      [{ [type]: 7 }, `fields.${type}`],
      [{ [type]: { name: true } }, `fields.${type}`],
    ]) {
      expect(Object.keys(await errorsOf(api.post(`/${type}/query`, { fields: wrong })))).toEqual([path])
    }
  })
})

describe('fields by type, for included records', () => {
  it('choose attributes and custom fields of each type by itself', async () => {
    const workspace = await workspaceWithOwn()
    const [company] = await stock(workspace, 'companies', [{ name: 'Acme', custom_fields: { icp: true } }])
    await stock(workspace, 'people', [{ name: 'Ada', company_id: company, custom_fields: { job_title: 'CTO' } }])
    await stock(workspace, 'opportunities', [{ name: 'Deal', company_id: company }])
    const fields = 'fields=name&fields[people]=name,custom_fields.job_title'
    const clash = await errorsOf(workspace.api.get(`/companies?${fields}`))
    expect(Object.keys(clash)).toEqual(['fields.people'])
    const query =
      'fields[companies]=custom_fields.icp&fields[people]=name,custom_fields.job_title&fields[opportunities][]=name'
    const { body } = await workspace.api.get(`/companies/${company}?include=people,opportunities&${query}`)
    expect(body.data.attributes).toEqual({ custom_fields: { icp: true } })
    expect(body.included.map((record: Shown) => [record.type, record.attributes])).toEqual([
      ['people', { name: 'Ada', custom_fields: { job_title: 'CTO' } }],
      ['opportunities', { name: 'Deal' }],
    ])
  })
})
