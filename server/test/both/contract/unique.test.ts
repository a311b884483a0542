import { describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { valueTypeNames } from '../../field-samples.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'

const long = 'x'.repeat(9_999)

/** What is held, spellings that are the same value, and values that are not. */
const spellings = [
  ['text', 'Straße 1', ['straße 1', 'STRASSE 1'], ['Straße  1', ' Straße 1', 'Straße 12']],
  ['text', 'É', ['é', 'E\u0301', 'e\u0301'], ['E']],
  ['text', `${long}a`, [`${long}A`], [`${long}b`, long]],
  ['number', 5, [5, '5', '5.0', '5e0'], [5.000001, -5, 50]],
  ['number', 0, ['-0', '0.0'], [1e-300]],
  ['email', 'Ada@Example.com', ['ada@example.COM', ['b@x.example', 'ADA@EXAMPLE.COM']], ['ada+1@example.com']],
  ['phone', '+1 415 555 0100', ['+14155550100', '001 (415) 555-0100'], ['+14155550100;ext=1', '+14155550101']],
  ['link', 'https://Example.com/A/', ['http://example.com/a', 'EXAMPLE.COM/A'], ['https://example.com/b']],
  ['domain', 'example.com', ['https://www.Example.com/x', 'WWW.EXAMPLE.COM'], ['sub.example.com']],
  ['domain', 'bücher.example', ['XN--BCHER-KVA.example', 'https://BÜCHER.example/'], ['bucher.example']],
  ['tags-input', ['Vip', 'Gold'], ['VIP', ['new', 'gold']], ['vip gold', 'vi']],
] as const

const uniqueTypes = ['text', 'number', 'email', 'phone', 'link', 'domain', 'tags-input'] as const

function settingsOf(type: string): Record<string, unknown> {
  if (type === 'text') return { settings: { max_length: 10_000 } }
  return ['email', 'phone', 'link', 'domain'].includes(type) ? { multiple: true } : {}
}

async function expectTaken(answer: ReturnType<Api['post']>): Promise<void> {
  const { status, body, text } = await answer
  expect(status, text.slice(0, 300)).toBe(422)
  expect(Object.keys(body.errors)).toEqual(['custom_fields.it'])
  expect(body.errors['custom_fields.it']).toEqual([expect.stringMatching(/^The It .*already taken/)])
}

describe('4. Unique: no other live record of the same resource and workspace may hold the value', () => {
  it.each(spellings)('%s %j is taken in every spelling (%#)', async (type, held, same, others) => {
    const { api, field } = await workspaceWithOwn()
    await field('companies', { name: 'It', type, unique: true, ...settingsOf(type) })
    const holder = await api.post('/companies', { name: 'Holder', custom_fields: { it: held } })
    expect(holder.status).toBe(201)
    const { id } = (await api.post('/companies', { name: 'Other' })).body.data
    for (const it of same) {
      const match = { field: 'domains', value: 'elsewhere.example' }
      await expectTaken(api.post('/companies', { name: 'New', custom_fields: { it } }))
      await expectTaken(api.put(`/companies/${id}`, { custom_fields: { it } }))
      await expectTaken(api.patch(`/companies/${id}`, { custom_fields: { it } }))
      await expectTaken(api.post('/companies/upsert', { match, name: 'New', custom_fields: { it } }))
      const kept = await api.put(`/companies/${holder.body.data.id}`, { custom_fields: { it } })
      expect(kept.status).toBe(200)
      await api.put(`/companies/${holder.body.data.id}`, { custom_fields: { it: held } })
    }
    expect((await api.get('/companies')).body.meta.total).toBe(2)
    for (const it of others) {
      const free = await api.put(`/companies/${id}`, { custom_fields: { it } })
      expect(free.status, JSON.stringify(it).slice(0, 50)).toBe(200)
    }
  })

  it.each(testedResources)('%s: it is free in other resources and other workspaces', async (resource) => {
    const [here, there] = [await workspaceWithOwn(), await workspaceWithOwn()]
    const body = (name: string) => ({ [declared(resource).label]: name, custom_fields: { ref: 'R-1' } })
    const elsewhere = resource === 'notes' ? 'tasks' : 'notes'
    for (const workspace of [here, there]) {
      for (const one of [resource, elsewhere] as const) {
        await workspace.field(one, { name: 'Ref', type: 'text', unique: true })
      }
      expect((await workspace.api.post(`/${resource}`, body('First'))).status).toBe(201)
    }
    const other = { title: 'First', custom_fields: { ref: 'R-1' } }
    expect((await here.api.post(`/${elsewhere}`, other)).status).toBe(201)
    const again = await here.api.post(`/${resource}`, body('Second'))
    expect(again.status).toBe(422)
    expect(again.body.errors).toEqual({ 'custom_fields.ref': [expect.stringContaining('r-1')] })
  })

  it('two fields of a record may hold the same value', async () => {
    const { api, field } = await workspaceWithOwn()
    for (const name of ['One', 'Two']) await field('companies', { name, type: 'text', unique: true })
    const first = await api.post('/companies', { name: 'A', custom_fields: { one: 'x', two: 'x' } })
    expect(first.status).toBe(201)
    const second = await api.post('/companies', { name: 'B', custom_fields: { one: 'X', two: 'X' } })
    expect(Object.keys(second.body.errors)).toEqual(['custom_fields.one', 'custom_fields.two'])
  })

  it('any number of records may hold nothing', async () => {
    const { api, field } = await workspaceWithOwn()
    await field('companies', { name: 'It', type: 'text', unique: true })
    for (const it of [null, '', '  ', undefined, null]) {
      expect((await api.post('/companies', { name: 'A', custom_fields: { it } })).status).toBe(201)
    }
  })

  it.each(uniqueTypes)('%s: a deleted or changed record gives its value free', async (type) => {
    const { api, field } = await workspaceWithOwn()
    await field('people', { name: 'It', type, unique: true, ...settingsOf(type) })
    const held = spellings.find(([one]) => one === type)?.[1]
    const body = { name: 'Ada', custom_fields: { it: held } }
    const { id } = (await api.post('/people', body)).body.data
    expect((await api.delete(`/people/${id}`)).status).toBe(204)
    const second = await api.post('/people', body)
    expect(second.status).toBe(201)
    await expectTaken(api.post('/people', body))
    await api.put(`/people/${second.body.data.id}`, { custom_fields: { it: null } })
    expect((await api.post('/people', body)).status).toBe(201)
  })

  it('of any number of writers at once, one gets the value', async () => {
    const { api, field } = await workspaceWithOwn()
    await field('companies', { name: 'It', type: 'text', unique: true })
    const { id } = (await api.post('/companies', { name: 'Old' })).body.data
    const writes = Array.from({ length: 16 }, (_, n) => {
      const custom_fields = { it: n % 2 ? 'same' : 'SAME' }
      return n === 7
        ? api.put(`/companies/${id}`, { custom_fields })
        : api.post('/companies', { name: 'A', custom_fields })
    })
    const statuses = (await Promise.all(writes)).map((answer) => answer.status).sort()
    expect(statuses.slice(1)).toEqual(Array(15).fill(422))
    expect(statuses[0]).toBeLessThan(300)
  })

  it('types that can be unique: text, number, email, phone, link, domain, tags-input', async () => {
    const { field } = await workspaceWithOwn()
    for (const type of valueTypeNames) {
      const made = field('companies', { name: type, type, unique: true })
      if (uniqueTypes.some((one) => one === type)) await made
      else
        await expect(made, type).rejects.toThrow(
          /cannot be unique.*text, number, tags-input, email, phone, link, domain/,
        )
    }
  })
})

describe('4. Unique: a record may keep and resend what it already holds', () => {
  it('also in another spelling or among others', async () => {
    const { api } = await workspaceWithOwn()
    const made = await api.post('/people', { name: 'Ada', custom_fields: { emails: ['Ada@x.example', 'b@x.example'] } })
    const { id, attributes } = made.body.data
    const put = (emails: unknown) => api.put(`/people/${id}`, { custom_fields: { emails } })
    expect((await api.put(`/people/${id}`, attributes)).body.data.attributes).toEqual(attributes)
    for (const emails of [['ada@X.example'], ['b@x.example', 'ADA@x.example', 'c@x.example'], ['c@x.example']]) {
      expect((await put(emails)).body.data.attributes.custom_fields.emails).toEqual(emails)
    }
    expect((await put('ada@x.example')).status).toBe(200)
  })
})

describe('4. Unique: a field can be made unique while duplicates exist, and only new clashes are refused', () => {
  it.each(uniqueTypes)('%s', async (type) => {
    const { api, field, updateField } = await workspaceWithOwn()
    await field('companies', { name: 'It', type, ...settingsOf(type) })
    const [, held, same] = spellings.find(([one]) => one === type) ?? []
    const other =
      type === 'number' ? 77 : type === 'phone' ? '+14155550177' : type === 'email' ? 'z@z.example' : 'z.example'
    const make = async (it: unknown) => (await api.post('/companies', { name: 'A', custom_fields: { it } })).body.data
    const [first, second] = [await make(held), await make(same?.[0])]
    const third = await make(other)
    const gone = await make(other)
    await api.delete(`/companies/${gone.id}`)
    expect(await updateField('companies', 'it', { unique: true })).toMatchObject({ duplicates: 1 })

    for (const { id, attributes } of [first, second, third]) {
      const resent = await api.put(`/companies/${id}`, attributes)
      expect(resent.body.data.attributes).toEqual(attributes)
      expect((await api.patch(`/companies/${id}`, { name: 'B' })).status).toBe(200)
    }
    await expectTaken(api.put(`/companies/${third.id}`, { custom_fields: { it: held } }))
    await expectTaken(api.post('/companies', { name: 'C', custom_fields: { it: same?.[0] } }))
    expect((await api.put(`/companies/${second.id}`, { custom_fields: { it: null } })).status).toBe(200)
    await expectTaken(api.put(`/companies/${second.id}`, { custom_fields: { it: held } }))
    expect(await updateField('companies', 'it', { unique: true })).toMatchObject({ duplicates: 0 })
    await updateField('companies', 'it', { unique: false })
    expect((await api.put(`/companies/${second.id}`, { custom_fields: { it: held } })).status).toBe(200)
  })

  it('that is how the 409 of an upsert comes about', async () => {
    const { api, field, updateField } = await workspaceWithOwn()
    await field('companies', { name: 'Tags', type: 'tags-input' })
    const ids: string[] = []
    for (const tags of [['A', 'x'], ['a'], ['b']]) {
      ids.push((await api.post('/companies', { name: 'A', custom_fields: { tags } })).body.data.id)
    }
    await updateField('companies', 'tags', { unique: true })
    const upsert = (value: string) => api.post('/companies/upsert', { match: { field: 'tags', value }, name: 'B' })
    const ambiguous = await upsert('A')
    expect(ambiguous.status).toBe(409)
    expect(ambiguous.body).toEqual({
      message: 'More than one record holds this tags value. Merge the duplicates, then retry.',
      matches: ids.slice(0, 2),
    })
    expect((await upsert('B')).body.data.id).toBe(ids[2])
  })
})
