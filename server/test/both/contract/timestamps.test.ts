import { describe, expect, it } from 'vitest'
import { updateRecord } from '../../../src/records/write.ts'
import {
  codeOf,
  defineEveryType,
  type Ids,
  relatedRecords,
  relatedTo,
  valuesOfEveryType,
} from '../../derived/full-records.ts'
import { samples, valueTypeNames } from '../../field-samples.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, NOWHERE } from '../../records.ts'
import { testedResources } from '../../run-length.ts'

describe('2. updated_at moves whenever anything of the record changes', () => {
  it.each(testedResources)(
    '%s: an attribute, a custom value of each type, a link; and never goes back',
    async (type) => {
      const workspace = await workspaceWithOwn()
      const { api } = workspace
      await defineEveryType(workspace, type)
      const ids = await relatedRecords(workspace)
      const other = await relatedRecords(workspace)
      const member = await workspace.member('member')
      const record = await made(api, type)
      const path = `/${type}/${record.id}`
      let last = record.attributes
      async function moves(body: object): Promise<void> {
        const answer = await api.put(path, body)
        expect(answer.status, answer.text).toBe(200)
        const { attributes } = answer.body.data
        expect(attributes.updated_at > last.updated_at, JSON.stringify(body)).toBe(true)
        expect(attributes.created_at).toBe(record.attributes.created_at)
        expect((await api.get(path)).body.data.attributes).toEqual(attributes)
        last = attributes
      }
      await moves({ [declared(type).label]: 'Changed' })
      await moves({ [declared(type).label]: 'changed' })
      const others: Ids = { ...other, users: member.id }
      for (const key of Object.keys(relatedTo(type, ids))) {
        const [first, second] = [relatedTo(type, ids)[key], relatedTo(type, others)[key]]
        await moves({ [key]: first })
        await moves({ [key]: second })
        if (Array.isArray(first) && Array.isArray(second)) {
          await moves({ [key]: [...first, ...second] })
          await moves({ [key]: first })
          await moves({ [key]: [] })
          await moves({ [key]: first })
        }
        await moves({ [key]: null })
      }
      for (const field of valueTypeNames) {
        for (const value of [samples[field].one, samples[field].other, null, samples[field].one]) {
          await moves({ custom_fields: { [codeOf(field)]: value } })
        }
      }
      await moves({ custom_fields: { [codeOf('email')]: ['ONE@x.example'] } })
      await moves({ custom_fields: { [codeOf('tags-input')]: ['a', 'b'] } })
      await moves({ custom_fields: { [codeOf('tags-input')]: ['b', 'a'] } })
    },
  )
})

describe('2. updated_at does not move when a write changes nothing', () => {
  it.each(testedResources)('%s', async (type) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await defineEveryType(workspace, type)
    await workspace.field(type, { name: 'Ref', type: 'text', unique: true })
    const ids = await relatedRecords(workspace)
    const { label, links } = declared(type)
    const path = `/${type}/${ids[type]}`
    await api.put(path, { custom_fields: { ref: 'r', ...valuesOfEveryType('other') } })
    const before = (await api.get(path)).body
    const { attributes } = before.data
    const shouted = relatedTo(type, Object.fromEntries(Object.entries(ids).map(([to, id]) => [to, id.toUpperCase()])))
    const repeated = Object.fromEntries(Object.keys(links).map((key) => [key, [shouted[key], shouted[key]].flat()]))
    /** The same in other words. */
    const otherWords = {
      [codeOf('number')]: '0.0',
      [codeOf('currency')]: '0.00',
      [codeOf('date-time')]: '2024-02-29T01:00:00.001+01:00',
      [codeOf('select')]: ' b ',
      [codeOf('multi-select')]: ['b', attributes.custom_fields[codeOf('multi-select')][1].id.toUpperCase(), 'B'],
      [codeOf('email')]: [' b@x.example ', 'a@x.example', 'A@X.example'],
      [codeOf('phone')]: ['+1 (415) 555-0101 ext. 1', '0014155550102'],
      [codeOf('link')]: ['X.example/', 'y.example/b'],
      [codeOf('domain')]: ['https://www.Y.example/about', 'z.example'],
    }
    for (const body of [
      undefined,
      {},
      { [label]: ` ${attributes[label]}\n` },
      shouted,
      repeated,
      attributes,
      { custom_fields: {} },
      { custom_fields: attributes.custom_fields },
      { custom_fields: otherWords },
      { updated_at: '2001-01-01T00:00:00.000Z', created_at: null, creation_source: 'web' },
    ]) {
      const answer = await api.put(path, body)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body, JSON.stringify(body)).toEqual(before)
    }
    const same = { [label]: attributes[label], match: { field: 'ref', value: 'R' } }
    const upserted = await api.post(`/${type}/upsert`, same)
    expect([upserted.status, upserted.body]).toEqual([200, before])
    const refused = { [label]: 'New', ...relatedTo(type, ids), custom_fields: { [codeOf('number')]: 'x' } }
    expect((await api.put(path, refused)).status).toBe(422)
    expect((await api.put(`${path}?include=nobody`, { [label]: 'New' })).status).toBe(422)
    expect((await api.get(path)).body).toEqual(before)
  })

  it('what becomes of related records is their own affair', async () => {
    const { api } = await workspaceWithOwn()
    const company = await made(api, 'companies')
    const person = await made(api, 'people', { company_id: company.id })
    const task = await made(api, 'tasks', { company_ids: [company.id], people_ids: [person.id] })
    await api.put(`/people/${person.id}`, { company_id: null })
    await api.put(`/tasks/${task.id}`, { company_ids: [] })
    await api.put(`/tasks/${task.id}`, { company_ids: [company.id] })
    expect((await api.get(`/companies/${company.id}`)).body.data).toEqual(company)
    const before = (await api.get(`/tasks/${task.id}`)).body
    await gone(api, 'companies', company.id)
    expect((await api.get(`/tasks/${task.id}`)).body).toEqual(before)
  })
})

describe('2. updated_at never goes back, and two effective writes of one record never share it', () => {
  it.each(testedResources)('%s: writes one after the other and at once', async (type) => {
    const { api } = await workspaceWithOwn()
    const { label } = declared(type)
    const { id, attributes } = await made(api, type)
    const times = [attributes.updated_at]
    for (let round = 0; round < 15; round++) {
      const { body } = await api.put(`/${type}/${id}`, { [label]: `In turn ${round}` })
      times.push(body.data.attributes.updated_at)
    }
    expect(times).toEqual([...times].sort())
    const names = Array.from({ length: 20 }, (_, index) => `At once ${index}`)
    const answers = await Promise.all(names.map((name) => api.put(`/${type}/${id}`, { [label]: name })))
    const written = answers.map(({ body }) => body.data.attributes)
    const all = [...times, ...written.map((one) => one.updated_at)]
    expect(new Set(all).size).toBe(all.length)
    const last = written.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1)).at(-1)
    expect((await api.get(`/${type}/${id}`)).body.data.attributes).toEqual(last)
  })

  it.each(testedResources)('%s: also when the clock goes back', async (type) => {
    const workspace = await workspaceWithOwn()
    const resource = declared(type)
    const { id, attributes } = await made(workspace.api, type)
    const scope = { ...(await workspace.scope()), now: () => new Date('2001-01-01T00:00:00.000Z') }
    let last = attributes.updated_at
    for (const name of ['first', 'second']) {
      const sent = { body: { [resource.label]: name }, asked: { raw: {}, loose: false, issues: [] } }
      const { data } = await updateRecord(scope, resource, { id, ...sent })
      expect(String(data()[0]?.attributes.updated_at) > last).toBe(true)
      last = String(data()[0]?.attributes.updated_at)
    }
    expect((await workspace.api.put(`/${type}/${NOWHERE}`, {})).status).toBe(404)
    expect((await workspace.api.get(`/${type}/${id}`)).body.data.attributes.updated_at).toBe(last)
  })
})
