import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { eachTested } from '../../lists.ts'
import { everyResource, workspaceWithOwn } from '../../own-resource.ts'
import type { TestWorkspace } from '../../workspace.ts'

const each = eachTested

/** A unique field `key` of each resource, of a type that holds text. */
async function keyed(type = 'text', more: object = {}): Promise<TestWorkspace> {
  const workspace = await workspaceWithOwn()
  for (const resource of everyResource) await workspace.field(resource, { name: 'Key', type, unique: true, ...more })
  return workspace
}

function totalOf(api: Api, type: string): Promise<number> {
  return api.get(`/${type}`).then((answer) => answer.body.meta.total)
}

describe('4. Upsert: rules', () => {
  it.each(each)(
    '1. when no record holds the matched value, a record is created and 201 is returned: %s',
    async (type, { label }) => {
      const { api } = await keyed()
      const answer = await api.post(`/${type}/upsert`, { match: { field: 'key', value: ' One ' }, [label]: 'First' })
      expect(answer.status).toBe(201)
      expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
      expect(Object.keys(answer.body)).toEqual(['data'])
      const { id, attributes } = answer.body.data
      expect(attributes).toMatchObject({ [label]: 'First', creation_source: 'api', custom_fields: { key: 'One' } })
      expect((await api.get(`/${type}/${id}`)).body).toEqual(answer.body)
    },
  )

  it.each(each)(
    '2. when exactly one record holds it, that record is updated and 200 is returned: %s',
    async (type, { label }) => {
      const { api, field } = await keyed()
      await field(type, { name: 'Other', type: 'text' })
      const made = await api.post(`/${type}`, { [label]: 'Old', custom_fields: { key: 'one', other: 'kept' } })
      const answer = await api.post(`/${type}/upsert`, { match: { field: 'key', value: 'ONE' }, [label]: 'New' })
      expect(answer.status).toBe(200)
      const { id, attributes } = answer.body.data
      expect(id).toBe(made.body.data.id)
      expect(attributes).toMatchObject({ [label]: 'New', custom_fields: { key: 'one', other: 'kept' } })
      expect(attributes.created_at).toBe(made.body.data.attributes.created_at)
      expect(attributes.updated_at > made.body.data.attributes.updated_at).toBe(true)
      expect((await api.get(`/${type}/${id}`)).body).toEqual(answer.body)
      expect(await totalOf(api, type)).toBe(1)
    },
  )

  it.each(each)(
    '3. when more than one record holds it, nothing is written and 409 is returned: %s',
    async (type, { label }) => {
      const { api, field, updateField } = await workspaceWithOwn()
      await field(type, { name: 'Key', type: 'tags-input' })
      const ids: string[] = []
      for (let i = 0; i < 30; i++) {
        const tags = ['other', i % 2 === 0 ? 'same' : 'SAME', `${i}`]
        ids.push((await api.post(`/${type}`, { [label]: `Number ${i}`, custom_fields: { key: tags } })).body.data.id)
      }
      await updateField(type, 'key', { unique: true })
      const before = (await api.get(`/${type}?per_page=100`)).text
      const match = { field: 'key', value: 'Same' }
      const answer = await api.post(`/${type}/upsert`, { match, [label]: 'New', custom_fields: { key: ['new'] } })
      expect(answer.status).toBe(409)
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.body).toEqual({
        message: 'More than one record holds this key value. Merge the duplicates, then retry.',
        matches: ids.slice(0, 25),
      })
      expect((await api.get(`/${type}?per_page=100`)).text).toBe(before)
      for (const id of ids.slice(2)) await api.delete(`/${type}/${id}`)
      const two = await api.post(`/${type}/upsert`, { match, [label]: 'New' })
      expect(two.body.matches).toEqual(ids.slice(0, 2))
      await api.delete(`/${type}/${ids[0]}`)
      expect((await api.post(`/${type}/upsert`, { match, [label]: 'New' })).body.data.id).toBe(ids[1])
    },
  )

  it('a value that a deleted record or another workspace’s record holds is not held', async () => {
    const [{ api }, { api: stranger }] = await Promise.all([workspaceWithOwn(), workspaceWithOwn()])
    const body = { name: 'Acme', match: { field: 'domains', value: 'acme.com' } }
    const theirs = await stranger.post('/companies/upsert', body)
    const first = await api.post('/companies/upsert', body)
    await api.delete(`/companies/${first.body.data.id}`)
    const second = await api.post('/companies/upsert', body)
    expect([theirs.status, first.status, second.status]).toEqual([201, 201, 201])
    expect(new Set([theirs, first, second].map((answer) => answer.body.data.id)).size).toBe(3)
    expect((await stranger.get('/companies')).body.data).toEqual([theirs.body.data])
  })

  it('a value that a record of another resource holds in a field of the same code is not held', async () => {
    const { api } = await keyed()
    const match = { field: 'key', value: 'one' }
    for (const { type, label } of Object.values(registry)) {
      expect((await api.post(`/${type}/upsert`, { match, [label]: 'x' })).status).toBe(201)
    }
  })

  it('the defaults: domains on companies, emails on people, also inside multi-value fields', async () => {
    const { api } = await workspaceWithOwn()
    const company = await api.post('/companies', { name: 'Acme', custom_fields: { domains: ['acme.com', 'acme.org'] } })
    const match = { field: 'domains', value: 'https://WWW.Acme.org/about' }
    const updated = await api.post('/companies/upsert', { name: 'Acme Ltd', account_owner_id: null, match })
    expect([updated.status, updated.body.data.id]).toEqual([200, company.body.data.id])
    expect(updated.body.data.attributes.custom_fields.domains).toEqual(['acme.com', 'acme.org'])
    const emails = { field: 'emails', value: 'Ada@Example.com' }
    const person = await api.post('/people/upsert', { name: 'Ada', company_id: company.body.data.id, match: emails })
    expect(person.status).toBe(201)
    expect(person.body.data.attributes).toMatchObject({
      company_id: company.body.data.id,
      custom_fields: { emails: ['Ada@Example.com'] },
    })
    const again = await api.post('/people/upsert', { name: 'Ada L.', match: { ...emails, value: 'ADA@EXAMPLE.COM' } })
    expect([again.status, again.body.data.attributes.company_id]).toEqual([200, company.body.data.id])
  })

  it('takes links, include and fields as the other writes do', async () => {
    const { api, owner } = await keyed()
    const company = (await api.post('/companies', { name: 'Acme' })).body.data.id
    const body = {
      title: 'Call',
      match: { field: 'key', value: 'x' },
      company_ids: [company],
      assignee_ids: [owner.id],
    }
    for (const status of [201, 200]) {
      const answer = await api.post('/tasks/upsert?include=companies,assigneesCount&fields=title,assignees_count', body)
      expect(answer.status).toBe(status)
      expect(answer.body.data.attributes).toEqual({ title: 'Call', assignees_count: 1 })
      expect(answer.body.data.relationships.companies.data).toEqual([{ id: company, type: 'companies' }])
      expect(answer.body.included).toHaveLength(1)
    }
    const cleared = await api.post('/tasks/upsert?include=companies', { ...body, company_ids: [] })
    expect(cleared.body.data.relationships.companies.data).toEqual([])
  })
})

type Held = { given: string; shown: unknown; found: readonly string[]; other: string }

/** For each type that can be matched: what is stored, how it is found, and what does not find it. */
const types: Record<string, Held> = {
  text: { given: 'Straße 7', shown: 'Straße 7', found: ['STRASSE 7', ' straße 7 ', 'sTRASSE 7'], other: 'straße 8' },
  email: {
    given: 'Ada@Example.com',
    shown: ['Ada@Example.com'],
    found: ['ada@EXAMPLE.com', ' ADA@example.com'],
    other: 'da@example.com',
  },
  phone: {
    given: '+1 (415) 555-0100',
    shown: ['+14155550100'],
    found: ['+14155550100', '001 415 555 0100', 'tel:+1-415-555-0100'],
    other: '+14155550101',
  },
  link: {
    given: 'HTTPS://Example.com/About/',
    shown: ['https://example.com/About'],
    found: ['example.com/ABOUT', 'http://EXAMPLE.com/about/'],
    other: 'example.com',
  },
  domain: {
    given: 'https://www.Acme.com/x',
    shown: ['acme.com'],
    found: ['ACME.COM', 'www.acme.com', 'http://acme.com/y?z'],
    other: 'shop.acme.com',
  },
  'tags-input': { given: 'VIP', shown: ['VIP'], found: ['vip', ' Vip '], other: 'vi' },
}

describe('6. Upsert: match.value is trimmed and compared by match key', () => {
  it.each(Object.entries(types))('%s', async (type, { given, shown, found, other }) => {
    const { api } = await keyed(type)
    for (const { type: resource, label } of Object.values(registry)) {
      const upsert = (value: string) =>
        api.post(`/${resource}/upsert`, { [label]: 'x', match: { field: 'key', value } })
      const made = await upsert(given)
      expect(made.status).toBe(201)
      expect(made.body.data.attributes.custom_fields.key).toEqual(shown)
      for (const value of [given, ...found]) {
        const answer = await upsert(value)
        expect([value, answer.status, answer.body.data.id]).toEqual([value, 200, made.body.data.id])
        expect(answer.body).toEqual(made.body)
      }
      expect((await upsert(other)).status).toBe(201)
      expect(await totalOf(api, resource)).toBe(2)
    }
  })
})

describe('6. Upsert: on create the match value is stored in the field', () => {
  it.each(Object.entries(types))(
    '%s: when it is given, it must contain the match value',
    async (type, { given, found, shown, other }) => {
      const { api } = await keyed(type, ['text', 'tags-input'].includes(type) ? {} : { multiple: true })
      const match = { field: 'key', value: found[0] }
      const listed = Array.isArray(shown)
      for (const wrong of [other, null, '', ...(listed ? [[], [other]] : [])]) {
        const answer = await api.post('/companies/upsert', { name: 'x', match, custom_fields: { key: wrong } })
        expect([wrong, answer.status]).toEqual([wrong, 422])
        expect(Object.keys(answer.body.errors)).toEqual(['custom_fields.key'])
      }
      expect(await totalOf(api, 'companies')).toBe(0)
      const custom_fields = { key: listed ? [other, given] : given }
      const made = await api.post('/companies/upsert', { name: 'x', match, custom_fields })
      expect(made.status).toBe(201)
      expect(made.body.data.attributes.custom_fields.key).toContain(listed ? shown[0] : shown)
      const again = await api.post('/companies/upsert', { name: 'x', match, custom_fields })
      expect([again.status, again.body]).toEqual([200, made.body])
    },
  )

  it.each(Object.entries(types))(
    '%s: likewise when it updates, so that an identical second call is always a 200',
    async (type, { given, found, shown, other }) => {
      const { api } = await keyed(type, ['text', 'tags-input'].includes(type) ? {} : { multiple: true })
      const listed = Array.isArray(shown)
      const made = await api.post('/companies', { name: 'x', custom_fields: { key: listed ? [given] : given } })
      const match = { field: 'key', value: found[0] }
      for (const wrong of [other, null, '', ...(listed ? [[], [other]] : [])]) {
        const answer = await api.post('/companies/upsert', { name: 'y', match, custom_fields: { key: wrong } })
        expect([wrong, answer.status]).toEqual([wrong, 422])
        expect(Object.keys(answer.body.errors)).toEqual(['custom_fields.key'])
      }
      expect((await api.get(`/companies/${made.body.data.id}`)).body).toEqual(made.body)
      const custom_fields = { key: listed ? [other, found[0]] : found[0] }
      const answers = [1, 2].map(() => api.post('/companies/upsert', { name: 'y', match, custom_fields }))
      const [first, second] = await Promise.all(answers)
      expect([first?.status, first?.body.data.id]).toEqual([200, made.body.data.id])
      expect([second?.status, second?.body]).toEqual([200, first?.body])
      expect(await totalOf(api, 'companies')).toBe(1)
    },
  )
})
