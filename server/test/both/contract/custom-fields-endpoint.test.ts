import { resourceNames } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { archiveField, restoreField } from '../../../src/schema/define.ts'
import { valueTypeNames } from '../../field-samples.ts'
import { newWorkspace } from '../../workspace.ts'

const ATTRIBUTES = [
  'code',
  'name',
  'type',
  'entity_type',
  'description',
  'required',
  'unique',
  'multiple',
  'max_values',
  'position',
  'options',
  'settings',
  'created_at',
  'updated_at',
]

type Listed = {
  id: string
  type: string
  attributes: Record<string, unknown> & { options: { id: string; label: string }[] }
}

function codesOf(data: readonly Listed[]): string[] {
  return data.map(({ attributes }) => `${attributes.entity_type} ${attributes.code}`)
}

const CHOICES = ['checkbox-list', 'radio', 'toggle-buttons', 'select', 'multi-select']

describe('4. Definitions: GET /v1/custom-fields', () => {
  it('type custom_fields, and the attributes in their order', async () => {
    const { api } = await newWorkspace()
    const answer = await api.get('/custom-fields?per_page=100')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
    expect(Object.keys(answer.body)).toEqual(['data', 'links', 'meta'])
    for (const field of answer.body.data) {
      expect(Object.keys(field)).toEqual(['id', 'type', 'attributes'])
      expect(field.type).toBe('custom_fields')
      expect(field.id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
      expect(Object.keys(field.attributes)).toEqual(ATTRIBUTES)
      expect(field.attributes.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(field.attributes.updated_at).toBe(field.attributes.created_at)
    }
    const [domains] = answer.body.data
    expect(domains.attributes).toMatchObject({
      code: 'domains',
      name: 'Domains',
      type: 'domain',
      entity_type: 'companies',
      description: null,
      required: false,
      unique: true,
      multiple: true,
      max_values: 5,
      position: 1,
      options: [],
      settings: {},
    })
  })

  it('fields in order of resource, then position', async () => {
    const { api, field, updateField } = await newWorkspace()
    await field('notes', { name: 'Last', type: 'text' })
    await field('companies', { name: 'Ticker', type: 'text' })
    await updateField('companies', 'ticker', { position: 1 })
    const { data } = (await api.get('/custom-fields?per_page=100')).body
    const expected = [
      ...['ticker', 'domains', 'linkedin', 'icp'].map((code) => `companies ${code}`),
      ...['emails', 'phone_number', 'job_title', 'linkedin'].map((code) => `people ${code}`),
      ...['stage', 'amount', 'close_date', 'owner'].map((code) => `opportunities ${code}`),
      ...['status', 'priority', 'due_date', 'description'].map((code) => `tasks ${code}`),
      ...['body', 'last'].map((code) => `notes ${code}`),
    ]
    expect(codesOf(data)).toEqual(expected)
    for (const resource of resourceNames) {
      const own = data.filter((one: Listed) => one.attributes.entity_type === resource)
      expect(own.map((one: Listed) => one.attributes.position)).toEqual(
        own.map((_: Listed, index: number) => index + 1),
      )
      // A record shows its values in the same order.
      const label = resource === 'tasks' || resource === 'notes' ? 'title' : 'name'
      const made = await api.post(`/${resource}`, { [label]: 'x' })
      const codes = own.map((one: Listed) => one.attributes.code)
      expect(Object.keys(made.body.data.attributes.custom_fields)).toEqual(codes)
    }
  })

  it.each(resourceNames)('entity_type=%s shows the fields of that resource alone', async (resource) => {
    const { api } = await newWorkspace()
    const all = (await api.get('/custom-fields?per_page=100')).body.data
    const answer = await api.get(`/custom-fields?entity_type=${resource}`)
    expect(answer.body.data).toEqual(all.filter((one: Listed) => one.attributes.entity_type === resource))
    expect(answer.body.meta.total).toBe(answer.body.data.length)
    expect(answer.body.links.first).toBe(`${api.base}/custom-fields?entity_type=${resource}&page=1`)
  })

  it('page pagination as for records', async () => {
    const { api } = await newWorkspace()
    const all = (await api.get('/custom-fields?per_page=100')).body.data
    const first = await api.get('/custom-fields')
    const path = `${api.base}/custom-fields`
    expect(first.body.data).toEqual(all.slice(0, 15))
    expect(first.body.meta).toMatchObject({
      current_page: 1,
      from: 1,
      last_page: 2,
      path,
      per_page: 15,
      to: 15,
      total: 16,
    })
    const scanned: Listed[] = []
    let next: string | null = `${path}?per_page=4`
    while (next !== null) {
      const page = await api.get(next.slice(api.base.length))
      scanned.push(...page.body.data)
      next = page.body.links.next
    }
    expect(scanned).toEqual(all)
    const second = await api.get('/custom-fields?per_page=4&page=2')
    expect(second.body.meta).toMatchObject({ current_page: 2, from: 5, last_page: 4, to: 8, total: 16 })
    expect(second.body.meta.links.map((link: { label: string }) => link.label)).toEqual([
      '&laquo; Previous',
      '1',
      '2',
      '3',
      '4',
      'Next &raquo;',
    ])
    const past = await api.get('/custom-fields?page=1000000')
    expect([past.status, past.body.data, past.body.meta.from, past.body.meta.to]).toEqual([200, [], null, null])
  })

  it.each([
    ['entity_type=company', 'entity_type'],
    ['entity_type=Companies', 'entity_type'],
    ['entity_type[]=companies', 'entity_type'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['per_page=x', 'per_page'],
    ['page=0', 'page'],
    ['page=1000001', 'page'],
    ['sort=name', 'sort'],
    ['include=options', 'include'],
    ['cursor=true', 'cursor'],
    ['filter[code][$eq]=x', 'filter'],
    ['fields=code', 'fields'],
  ])('422: %s', async (query, path) => {
    const { api } = await newWorkspace()
    const answer = await api.get(`/custom-fields?${query}`)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([path])
  })

  it('an unknown entity_type is named with what is accepted and the nearest', async () => {
    const { api } = await newWorkspace()
    const { message } = (await api.get('/custom-fields?entity_type=companys')).body
    expect(message).toContain('companys')
    for (const resource of resourceNames) expect(message).toContain(resource)
    expect(message).toMatch(/did you mean companies\?/i)
  })

  it('an empty parameter counts as not sent', async () => {
    const { api } = await newWorkspace()
    expect((await api.get('/custom-fields?entity_type=&per_page=&page=')).body.meta.total).toBe(16)
  })

  it('only active fields', async () => {
    const { api, field, scope } = await newWorkspace()
    const made = await field('companies', { name: 'Ticker', type: 'text' })
    const ids = async () => (await api.get('/custom-fields?per_page=100')).body.data.map((one: Listed) => one.id)
    expect(await ids()).toContain(made.id)
    const address = { entity_type: 'companies', code: 'ticker' } as const
    await archiveField(await scope(), address)
    expect(await ids()).not.toContain(made.id)
    await restoreField(await scope(), address)
    expect(await ids()).toContain(made.id)
  })

  it('a change shows on the next request', async () => {
    const { api, updateField } = await newWorkspace()
    const before = (await api.get('/custom-fields')).body.data[0]
    await updateField('companies', 'domains', { name: 'Web domains', description: 'Where they are found.' })
    const after = (await api.get('/custom-fields')).body.data[0]
    expect(after.attributes).toMatchObject({
      name: 'Web domains',
      description: 'Where they are found.',
      code: 'domains',
    })
    expect(after.attributes.updated_at > before.attributes.updated_at).toBe(true)
    expect(after.attributes.created_at).toBe(before.attributes.created_at)
  })

  it.each(valueTypeNames)(
    'options is always a list of {id, label, color} in order, settings an object: %s',
    async (type) => {
      const { api, field } = await newWorkspace()
      const made = await field('companies', {
        name: 'Key',
        type,
        ...(CHOICES.includes(type) ? { options: ['B', 'a', 'C'] } : {}),
      })
      const { data } = (await api.get('/custom-fields?entity_type=companies')).body
      const { attributes } = data.find((one: Listed) => one.id === made.id)
      expect(attributes).toMatchObject({ code: 'key', type, entity_type: 'companies' })
      expect(attributes.options.map((option: { label: string }) => option.label)).toEqual(
        CHOICES.includes(type) ? ['B', 'a', 'C'] : [],
      )
      for (const option of attributes.options) expect(Object.keys(option)).toEqual(['id', 'label', 'color'])
      const settings = { currency: ['currency', 'decimals'], text: ['max_length'] }[type as string] ?? []
      expect(Object.keys(attributes.settings)).toEqual(settings)
    },
  )

  it('the settings of a field', async () => {
    const { api, field } = await newWorkspace()
    await field('opportunities', { name: 'Fee', type: 'currency', settings: { currency: 'EUR', decimals: 3 } })
    await field('opportunities', { name: 'Code', type: 'text', settings: { max_length: 10 } })
    const { data } = (await api.get('/custom-fields?entity_type=opportunities')).body
    const settings = Object.fromEntries(data.map((one: Listed) => [one.attributes.code, one.attributes.settings]))
    expect(settings.fee).toEqual({ currency: 'EUR', decimals: 3 })
    expect(settings.code).toEqual({ max_length: 10 })
  })

  it('shows no field of another workspace', async () => {
    const [here, there] = await Promise.all([newWorkspace(), newWorkspace()])
    await there.field('companies', { name: 'Ticker', type: 'text' })
    expect((await here.api.get('/custom-fields')).text).not.toContain('Ticker')
  })
})
