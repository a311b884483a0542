import { resourceNames } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { archiveField } from '../../src/custom-fields/archive.ts'
import { restoreField } from '../../src/custom-fields/restore.ts'
import { problemsOf } from '../records.ts'
import { newWorkspace } from '../workspace.ts'
import { pagesFrom } from './lists.ts'

type Field = { id: string; attributes: Record<string, unknown> }

const codesOf = (data: readonly Field[]) => data.map(({ attributes }) => attributes.code)

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

describe('4. Definitions: GET /v1/custom-fields', () => {
  it('fields in order of resource, then position', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    for (const resource of resourceNames.toReversed()) {
      await workspace.field(resource, { name: 'Second', type: 'text' })
      await workspace.field(resource, { name: 'First', type: 'text' })
      await workspace.updateField(resource, 'first', { position: 1 })
    }
    const { data } = (await api.get('/custom-fields?per_page=100')).body
    const places = data.map(({ attributes }: Field) => [attributes.entity_type, attributes.position])
    const expected = resourceNames.flatMap((resource) => {
      const count = data.filter(({ attributes }: Field) => attributes.entity_type === resource).length
      return Array.from({ length: count }, (_, index) => [resource, index + 1])
    })
    expect(places).toEqual(expected)
    expect(codesOf(data).filter((code) => code === 'first' || code === 'second')).toEqual(
      resourceNames.flatMap(() => ['first', 'second']),
    )
    for (const { type, attributes } of data) {
      expect(type).toBe('custom_fields')
      expect(Object.keys(attributes)).toEqual(ATTRIBUTES)
    }
  })

  it('page pagination as for records: per_page default 15, page default 1', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field('notes', { name: 'The sixteenth', type: 'text' })
    const path = `${api.base}/custom-fields`
    const { body } = await api.get('/custom-fields')
    expect(Object.keys(body)).toEqual(['data', 'links', 'meta'])
    expect(body.data).toHaveLength(15)
    const at = (page: number) => `${path}?page=${page}`
    expect(body.links).toEqual({ first: at(1), last: at(2), prev: null, next: at(2) })
    expect(body.meta).toMatchObject({ current_page: 1, from: 1, to: 15, last_page: 2, per_page: 15, total: 16, path })
    const walked = (await pagesFrom(api, '/custom-fields?per_page=5')).flat()
    const { data } = (await api.get('/custom-fields?per_page=100')).body
    expect(walked).toEqual(data.map(({ id }: Field) => id))
    const past = (await api.get('/custom-fields?page=3')).body
    expect(past).toMatchObject({ data: [], meta: { current_page: 3, from: null, to: null, total: 16 } })
  })

  it('per_page is 1 to 100, page is 1 to 1,000,000; out of range: 422 on that name', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    for (let index = 0; index < 86; index++) await workspace.field('tasks', { name: `Field ${index}`, type: 'toggle' })
    expect((await api.get('/custom-fields?per_page=100')).body.data).toHaveLength(100)
    expect((await api.get('/custom-fields?per_page=1')).body.data).toHaveLength(1)
    expect((await api.get('/custom-fields?page=1000000')).body.meta.current_page).toBe(1_000_000)
    for (const [query, name] of [
      ['per_page=0', 'per_page'],
      ['per_page=101', 'per_page'],
      ['per_page=ten', 'per_page'],
      ['page=0', 'page'],
      ['page=1000001', 'page'],
    ]) {
      expect(Object.keys(await problemsOf(api.get(`/custom-fields?${query}`)))).toEqual([name])
    }
  })

  it('entity_type is a resource name', async () => {
    const { api } = await newWorkspace()
    const all: Field[] = (await api.get('/custom-fields?per_page=100')).body.data
    for (const resource of resourceNames) {
      const { data, meta } = (await api.get(`/custom-fields?entity_type=${resource}`)).body
      expect(data).toEqual(all.filter(({ attributes }) => attributes.entity_type === resource))
      expect(meta.total).toBe(data.length)
    }
    const urls = (await api.get('/custom-fields?entity_type=tasks&per_page=1')).body.links
    expect(urls.next).toBe(`${api.base}/custom-fields?entity_type=tasks&per_page=1&page=2`)
    expect((await api.get('/custom-fields?entity_type=')).body.meta.total).toBe(15)
    for (const wrong of ['company', 'Companies', 'users', 'custom_fields', 'constructor', '1']) {
      const problems = await problemsOf(api.get(`/custom-fields?entity_type=${wrong}`))
      expect(Object.keys(problems)).toEqual(['entity_type'])
      expect(problems.entity_type?.[0]).toContain(wrong)
      expect(problems.entity_type?.[0]).toContain(resourceNames.join(', '))
    }
    const near = await problemsOf(api.get('/custom-fields?entity_type=peple'))
    expect(near.entity_type?.[0]).toContain('Did you mean people?')
  })

  it('no other parameter is accepted, and the answer says which are', async () => {
    const { api } = await newWorkspace()
    for (const name of ['sort', 'cursor', 'include', 'fields', 'filter', 'entity']) {
      const problems = await problemsOf(api.get(`/custom-fields?${name}=name`))
      expect(Object.keys(problems)).toEqual([name])
      expect(problems[name]?.[0]).toContain('entity_type, per_page, page')
    }
  })

  it('options is always a list of {id, label, color} in order; settings holds type settings', async () => {
    const workspace = await newWorkspace()
    const options = ['B', 'A', 'C']
    const made = await workspace.field('notes', { name: 'Choice', type: 'radio', options })
    await workspace.field('notes', { name: 'Price', type: 'currency', settings: { currency: 'JPY', decimals: 0 } })
    await workspace.field('notes', { name: 'Line', type: 'text', settings: { max_length: 10_000 } })
    await workspace.field('notes', { name: 'Plain', type: 'date' })
    const { data } = (await workspace.api.get('/custom-fields?entity_type=notes')).body
    const shown = Object.fromEntries(data.map(({ attributes }: Field) => [attributes.code, attributes]))
    expect(shown.choice.options).toEqual(
      options.map((label, index) => ({ id: made.options[index]?.id, label, color: expect.any(String) })),
    )
    expect(shown.choice.options.map(Object.keys)).toEqual(options.map(() => ['id', 'label', 'color']))
    expect(shown.choice.settings).toEqual({})
    expect(shown.price).toMatchObject({ options: [], settings: { currency: 'JPY', decimals: 0 } })
    expect(shown.line).toMatchObject({ options: [], settings: { max_length: 10_000 } })
    expect(shown.plain).toMatchObject({ options: [], settings: {} })
  })

  it('only active fields', async () => {
    const workspace = await newWorkspace()
    const job = { entity_type: 'people', code: 'job_title' } as const
    const listed = async () => (await workspace.api.get('/custom-fields?entity_type=people')).body
    const before = await listed()
    await archiveField(await workspace.scope(), job)
    const archived = await listed()
    expect(codesOf(archived.data)).toEqual(['emails', 'phone_number', 'linkedin'])
    expect(archived.meta.total).toBe(3)
    await restoreField(await workspace.scope(), job)
    expect(codesOf((await listed()).data)).toEqual(codesOf(before.data))
  })
})
