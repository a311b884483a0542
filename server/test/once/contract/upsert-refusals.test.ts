import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { archiveField } from '../../../src/schema/define.ts'
import { valueTypeNames } from '../../field-samples.ts'
import { newWorkspace } from '../../workspace.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'

describe('6. Upsert: match.field must be an active unique field of a text-like type', () => {
  it('else 422 on match.field naming the eligible codes', async () => {
    const { api, field, scope } = await newWorkspace()
    await field('companies', { name: 'Ticker', type: 'text', unique: true })
    await field('companies', { name: 'Plain', type: 'text' })
    await field('companies', { name: 'Size', type: 'number', unique: true })
    await field('companies', { name: 'Gone', type: 'text', unique: true })
    await field('people', { name: 'Badge', type: 'text', unique: true })
    await archiveField(await scope(), { entity_type: 'companies', code: 'gone' })
    for (const code of [
      'plain',
      'size',
      'gone',
      'badge',
      'emails',
      'nothing',
      'Domains',
      'DOMAINS',
      '',
      null,
      7,
      ['domains'],
      'name',
      '__proto__',
      'constructor',
    ]) {
      const answer = await api.post('/companies/upsert', { name: 'x', match: { field: code, value: 'x.com' } })
      expect([code, answer.status]).toEqual([code, 422])
      expect(Object.keys(answer.body.errors)).toEqual(['match.field'])
      expect(answer.body.errors['match.field'][0]).toContain('domains, ticker')
      for (const other of ['plain', 'size', 'gone', 'badge'])
        expect(answer.body.errors['match.field'][0]).not.toContain(other)
    }
    const near = await api.post('/companies/upsert', { name: 'x', match: { field: 'domain', value: 'x.com' } })
    expect(near.body.errors['match.field'][0]).toMatch(/did you mean domains\?/i)
    expect((await api.get('/companies')).body.meta.total).toBe(0)
  })

  it('a resource that has no such field says so', async () => {
    const { api } = await newWorkspace()
    for (const { type, label } of Object.values(registry).filter((resource) =>
      ['opportunities', 'tasks', 'notes'].includes(resource.type),
    )) {
      const answer = await api.post(`/${type}/upsert`, { [label]: 'x', match: { field: 'key', value: 'x' } })
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)).toEqual(['match.field'])
    }
  })

  it.each(valueTypeNames.filter((type) => !['text', 'email', 'phone', 'link', 'domain', 'tags-input'].includes(type)))(
    'a field of type %s cannot be matched',
    async (type) => {
      const { api, field } = await newWorkspace()
      const options = ['checkbox-list', 'radio', 'toggle-buttons', 'select', 'multi-select'].includes(type)
        ? { options: ['A'] }
        : {}
      await field('companies', { name: 'Key', type, ...(type === 'number' ? { unique: true } : {}), ...options })
      const answer = await api.post('/companies/upsert', { name: 'x', match: { field: 'key', value: '1' } })
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors)).toEqual(['match.field'])
    },
  )
})

describe('4. Upsert: the request body', () => {
  const match = { field: 'domains', value: 'acme.com' }
  const wrong: Record<string, [unknown, string[]]> = {
    'match is required': [{ name: 'x' }, ['match']],
    'match: null': [{ name: 'x', match: null }, ['match']],
    'match: a string': [{ name: 'x', match: 'acme.com' }, ['match']],
    'match: a list': [{ name: 'x', match: [match] }, ['match']],
    'match.field and match.value are required': [{ name: 'x', match: {} }, ['match.field', 'match.value']],
    'match.value is required': [{ name: 'x', match: { field: 'domains' } }, ['match.value']],
    'match.value: null': [{ name: 'x', match: { ...match, value: null } }, ['match.value']],
    'match.value: empty': [{ name: 'x', match: { ...match, value: '' } }, ['match.value']],
    'match.value: blank': [{ name: 'x', match: { ...match, value: ' \t ' } }, ['match.value']],
    'match.value: a number': [{ name: 'x', match: { ...match, value: 7 } }, ['match.value']],
    'match.value: a list': [{ name: 'x', match: { ...match, value: ['acme.com'] } }, ['match.value']],
    'match.value: more than 255 characters': [
      { name: 'x', match: { ...match, value: `${'a'.repeat(252)}.com` } },
      ['match.value'],
    ],
    'match.value: nothing that the field can hold': [
      { name: 'x', match: { ...match, value: 'not a domain' } },
      ['match.value'],
    ],
    'match.value: with NUL': [{ name: 'x', match: { ...match, value: 'acme\u0000.com' } }, ['match.value']],
    'match: an unknown key': [{ name: 'x', match: { ...match, operator: '$eq' } }, ['match.operator']],
    'name is required': [{ match }, ['name']],
    'name: null': [{ match, name: null }, ['name']],
    'an unknown key': [{ match, name: 'x', nothing: 1 }, ['nothing']],
    'company_id is for people only': [{ match, name: 'x', company_id: NOWHERE }, ['company_id']],
    'a member who is none': [{ match, name: 'x', account_owner_id: NOWHERE }, ['account_owner_id']],
    'an unknown custom field': [{ match, name: 'x', custom_fields: { nothing: 1 } }, ['custom_fields']],
    'no object': [[], ['body']],
    'all at once': [{ match: { field: 'nothing' }, nothing: 1 }, ['match.field', 'match.value', 'name', 'nothing']],
  }

  it.each(Object.entries(wrong))('422 whether it would create or update: %s', async (_name, [body, paths]) => {
    const { api } = await newWorkspace()
    for (const total of [0, 1]) {
      const answer = await api.post('/companies/upsert', body)
      expect(answer.status).toBe(422)
      expect(Object.keys(answer.body.errors).sort()).toEqual(paths)
      expect((await api.get('/companies')).body.meta.total).toBe(total)
      if (total === 0) await api.post('/companies', { name: 'Acme', custom_fields: { domains: ['acme.com'] } })
    }
  })

  it('a match of any depth is refused like any other', async () => {
    const { api } = await newWorkspace()
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    for (const match of [deep, `{"field":${deep},"value":"x"}`, `{"field":"domains","value":${deep}}`]) {
      expect((await api.send('POST', '/companies/upsert', `{"match":${match},"name":"Acme"}`)).status).toBe(422)
    }
  })

  it('match.value takes 255 characters', async () => {
    const { api, field } = await newWorkspace()
    await field('companies', { name: 'Key', type: 'text', unique: true })
    const value = '💡'.repeat(255)
    const answer = await api.post('/companies/upsert', { name: 'x', match: { field: 'key', value } })
    expect([answer.status, answer.body.data.attributes.custom_fields.key]).toEqual([201, value])
  })

  it('required fields are demanded when it creates and not when it updates', async () => {
    const { api, field } = await newWorkspace()
    await field('companies', { name: 'Region', type: 'text', required: true })
    const body = { name: 'Acme', match: { field: 'domains', value: 'acme.com' } }
    const refused = await api.post('/companies/upsert', body)
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['custom_fields.region']])
    expect((await api.post('/companies/upsert', { ...body, custom_fields: { region: 'EU' } })).status).toBe(201)
    expect((await api.post('/companies/upsert', body)).status).toBe(200)
    const emptied = await api.post('/companies/upsert', { ...body, custom_fields: { region: null } })
    expect([emptied.status, Object.keys(emptied.body.errors)]).toEqual([422, ['custom_fields.region']])
  })

  it('a required field that is matched need not be given', async () => {
    const { api, field } = await newWorkspace()
    await field('companies', { name: 'Key', type: 'text', required: true, unique: true })
    expect((await api.post('/companies/upsert', { name: 'x', match: { field: 'key', value: 'one' } })).status).toBe(201)
  })

  it('a value of another unique field that another record holds is 422, whether it creates or updates', async () => {
    const { api, field } = await newWorkspace()
    await field('companies', { name: 'Ticker', type: 'text', unique: true })
    await api.post('/companies', { name: 'Other', custom_fields: { ticker: 'ACM' } })
    const body = { name: 'Acme', match: { field: 'domains', value: 'acme.com' } }
    for (const status of [201, 200]) {
      const clash = await api.post('/companies/upsert', { ...body, custom_fields: { ticker: 'acm' } })
      expect([clash.status, Object.keys(clash.body.errors)]).toEqual([422, ['custom_fields.ticker']])
      expect((await api.post('/companies/upsert', body)).status).toBe(status)
    }
    expect((await api.get('/companies')).body.meta.total).toBe(2)
  })
})
