import { registry } from '@kith/contract/registry'
import { countAttributeNames } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { gone, made, NOWHERE } from '../../records.ts'
import { specified } from '../../specified.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const ULID = /^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const JSON_API = 'application/vnd.api+json'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
})

describe('2. Common record envelope: a single record is returned as {data: {id, type, attributes}}', () => {
  it.each(specified)('%s, by create, read, update and upsert, and in lists', async (type) => {
    const { api } = workspace
    await workspace.field(type, { name: 'Ref', type: 'text', unique: true })
    const { label } = registry[type]
    const match = { field: 'ref', value: 'x' }
    const created = await api.post(`/${type}/upsert`, { [label]: 'One', match })
    const { id } = created.body.data
    const answers = [
      created,
      await api.post(`/${type}/upsert`, { [label]: 'One', match }),
      await api.get(`/${type}/${id}`),
      await api.put(`/${type}/${id}`, {}),
      await api.patch(`/${type}/${id}`, { [label]: 'Two' }),
      await api.post(`/${type}`, { [label]: 'Three' }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([201, 200, 200, 200, 200, 201])
    for (const { body } of answers) {
      expect(Object.keys(body)).toEqual(['data'])
      expect(Object.keys(body.data)).toEqual(['id', 'type', 'attributes'])
      expect(body.data.type).toBe(type)
      expect(body.data.id).toMatch(ULID)
    }
    for (const list of [await api.get(`/${type}`), await api.post(`/${type}/query`, {})]) {
      expect(Object.keys(list.body)).toEqual(['data', 'links', 'meta'])
      for (const record of list.body.data) expect(Object.keys(record)).toEqual(['id', 'type', 'attributes'])
    }
  })

  const own = {
    companies: ['name', 'account_owner_id'],
    people: ['name', 'company_id'],
    opportunities: ['name', 'company_id', 'contact_id'],
    tasks: ['title'],
    notes: ['title'],
  }
  const counts = {
    companies: ['people_count', 'opportunities_count', 'tasks_count', 'notes_count'],
    people: ['tasks_count', 'notes_count'],
    opportunities: ['tasks_count', 'notes_count'],
    tasks: ['assignees_count', 'companies_count', 'people_count', 'opportunities_count'],
    notes: ['companies_count', 'people_count', 'opportunities_count'],
  }
  const common = ['creation_source', 'created_at', 'updated_at', 'custom_fields']

  it.each(specified)(
    '%s: key order: name or title, references, creation_source, times, custom_fields, counts',
    async (type) => {
      const { api } = workspace
      const { id, attributes } = await made(api, type)
      expect(Object.keys(attributes)).toEqual([...own[type], ...common])
      const include = Object.keys(registry[type].counts).reverse().join(',')
      const counted = await api.get(`/${type}/${id}?include=${include}`)
      expect(Object.keys(counted.body.data.attributes)).toEqual([...own[type], ...common, ...counts[type]])
      expect(countAttributeNames(registry[type])).toEqual(counts[type])
      for (const name of counts[type]) expect(counted.body.data.attributes[name]).toBe(0)
    },
  )

  it.each(specified)('%s: attributes never hold id, the workspace, the creator or deletion marks', async (type) => {
    const { api } = workspace
    const { attributes } = await made(api, type)
    for (const key of Object.keys(attributes)) expect(key).not.toMatch(/^id$|workspace|creator|delete/)
    expect(JSON.stringify(attributes)).not.toContain(workspace.id)
  })

  it.each(specified)(
    '%s: relationships and top-level included are absent unless something was included',
    async (type) => {
      const { api } = workspace
      const { id } = await made(api, type)
      for (const nothing of ['', '?include=', '?include=,', `?include=${Object.keys(registry[type].counts)[0]}`]) {
        const { body } = await api.get(`/${type}/${id}${nothing}`)
        expect(Object.keys(body)).toEqual(['data'])
        expect(body.data).not.toHaveProperty('relationships')
      }
      const relations = Object.keys(registry[type].relations)
      const { body } = await api.get(`/${type}/${id}?include=${relations.join(',')}`)
      expect(Object.keys(body)).toEqual(['data', 'included'])
      expect(Object.keys(body.data)).toEqual(['id', 'type', 'attributes', 'relationships'])
      expect(Object.keys(body.data.relationships)).toEqual(relations)
    },
  )

  it.each(specified)('%s: times are UTC, ISO 8601, three fractional digits, Z', async (type) => {
    const before = new Date().toISOString()
    const { attributes } = await made(workspace.api, type)
    for (const name of ['created_at', 'updated_at']) {
      expect(attributes[name]).toMatch(TIME)
      expect(new Date(attributes[name]).toISOString()).toBe(attributes[name])
      expect(attributes[name] >= before).toBe(true)
    }
  })
})

describe('2. Content types', () => {
  it('success is application/vnd.api+json, and 204 has no content', async () => {
    const { api } = workspace
    for (const type of specified) {
      const { label } = registry[type]
      const created = await api.post(`/${type}`, { [label]: 'x' })
      const { id } = created.body.data
      for (const answer of [
        created,
        await api.get(`/${type}`),
        await api.get(`/${type}?cursor=true`),
        await api.post(`/${type}/query`),
        await api.get(`/${type}/${id}`),
        await api.put(`/${type}/${id}`),
        await api.patch(`/${type}/${id}`),
      ]) {
        expect(answer.headers.get('content-type')).toBe(JSON_API)
      }
      const deleted = await api.delete(`/${type}/${id}`)
      expect(deleted.status).toBe(204)
      expect(deleted.text).toBe('')
      expect(deleted.headers.get('content-type')).toBeNull()
    }
    for (const path of ['/custom-fields', '/user']) {
      expect((await api.get(path)).headers.get('content-type')).toBe(JSON_API)
    }
  })

  it('errors are application/json with a message, and every response carries X-Request-Id', async () => {
    const { api } = workspace
    const reader = await workspace.token({ abilities: ['read'] })
    const answers = [
      [401, await apiAt(api.base.replace('/api/v1', ''), '').get('/companies')],
      [403, await reader.post('/companies', { name: 'x' })],
      [404, await api.get(`/companies/${NOWHERE}`)],
      [404, await api.get('/nothing')],
      [404, await api.get('/companies/%zz')],
      [404, await api.get('/companies/%ff')],
      [405, await api.delete('/companies')],
      [413, await api.post('/companies', { name: 'x'.repeat(1024 * 1024) })],
      [422, await api.post('/companies', {})],
    ] as const
    for (const [status, answer] of answers) {
      expect(answer.status, answer.text).toBe(status)
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(Object.keys(answer.body)).toEqual(status === 422 ? ['message', 'errors'] : ['message'])
      expect(typeof answer.body.message).toBe('string')
      expect(answer.headers.get('x-request-id')).toMatch(/./)
    }
    const two = [await api.get('/companies'), await api.get('/companies')]
    expect(two[0]?.headers.get('x-request-id')).not.toBe(two[1]?.headers.get('x-request-id'))
  })

  it.each(['text/html', 'application/xml;q=1', '*/*', 'image/png', ''])(
    'JSON is answered whatever Accept says: %s',
    async (accept) => {
      const { api } = workspace
      const answer = await api.get('/companies', { headers: { Accept: accept } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe(JSON_API)
      const error = await api.get(`/companies/${NOWHERE}`, { headers: { Accept: accept } })
      expect([error.status, error.headers.get('content-type')]).toEqual([404, 'application/json'])
    },
  )
})

describe('2. Ids: lower-case 26-character ULIDs, compared in any letter case', () => {
  it.each(specified)('%s: a path takes an id in any letter case', async (type) => {
    const { api } = workspace
    const { id } = await made(api, type)
    const upper = id.toUpperCase()
    expect((await api.get(`/${type}/${upper}`)).body.data.id).toBe(id)
    const put = await api.put(`/${type}/${upper}`, { [registry[type].label]: 'Upper' })
    expect([put.status, put.body.data.id]).toEqual([200, id])
    expect((await api.patch(`/${type}/${upper}`, {})).status).toBe(200)
    await gone(api, type, upper)
    expect((await api.get(`/${type}/${id}`)).status).toBe(404)
  })

  it.each(Object.values(registry).map(({ type, one }) => [type, one] as const))(
    '%s: 404 says that no %s with the ID exists in this workspace; an id that is not one is simply 404',
    async (type, one) => {
      const { api } = workspace
      const other = await made(api, type === 'notes' ? 'tasks' : 'notes')
      const wrong = [
        '1',
        'abc',
        NOWHERE.slice(1),
        `${NOWHERE}0`,
        'ilouilouilouilouilouilouil',
        '8zzzzzzzzzzzzzzzzzzzzzzzzz',
        ' ',
        "' or 1=1",
      ]
      for (const id of [NOWHERE, other.id, ...wrong]) {
        const path = `/${type}/${encodeURIComponent(id)}`
        for (const answer of [
          await api.get(path),
          await api.put(path, {}),
          await api.patch(path, {}),
          await api.delete(path),
        ]) {
          expect(answer.status).toBe(404)
          expect(answer.body).toEqual({ message: `No ${one} with the ID ${id} exists in this workspace.` })
        }
      }
      const long = await api.get(`/${type}/${'x'.repeat(900)}`)
      expect(long.status).toBe(404)
      expect(long.text.length).toBeLessThan(200)
    },
  )
})
