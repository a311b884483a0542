import { describe, expect, it } from 'vitest'
import { archiveField } from '../../src/schema/define.ts'
import { labelled } from '../field-samples.ts'
import { newWorkspace } from '../workspace.ts'

/**
 * Each makes a field of companies, writes a value, and then makes the field so strict that it would not take the value.
 */
const stricter: readonly [what: string, type: string, rest: object, value: unknown, after: object, another: unknown][] =
  [
    [
      'multiple switched off',
      'email',
      { multiple: true },
      ['a@x.example', 'b@x.example'],
      { multiple: false },
      ['a@x.example', 'c@x.example'],
    ],
    [
      'multiple switched off',
      'phone',
      { multiple: true },
      ['+14155550100', '+14155550101'],
      { multiple: false },
      ['+14155550101', '+14155550100'],
    ],
    [
      'multiple switched off',
      'link',
      { multiple: true },
      ['x.example', 'y.example'],
      { multiple: false },
      ['x.example', 'z.example'],
    ],
    [
      'multiple switched off',
      'domain',
      { multiple: true },
      ['x.example', 'y.example'],
      { multiple: false },
      ['x.example', 'z.example'],
    ],
    ['max_values lowered', 'tags-input', { max_values: 3 }, ['a', 'b', 'c'], { max_values: 2 }, ['a', 'b', 'd']],
    [
      'max_values lowered',
      'email',
      { multiple: true, max_values: 3 },
      ['a@x.example', 'b@x.example', 'c@x.example'],
      { max_values: 2 },
      ['c@x.example', 'b@x.example', 'a@x.example'],
    ],
    [
      'max_length lowered',
      'text',
      { settings: { max_length: 20 } },
      'Twelve chars',
      { settings: { max_length: 11 } },
      'Twelve Chars',
    ],
    ['decimals lowered', 'currency', {}, 10.25, { settings: { decimals: 0 } }, 10.75],
    [
      'decimals raised, amounts smaller',
      'currency',
      { settings: { decimals: 0 } },
      9_000_000_000_000_000,
      { settings: { decimals: 3 } },
      9_000_000_000_000_001,
    ],
  ]

describe('Law 1 holds when the settings of a field became stricter after it had values', () => {
  it.each(stricter)('%s (%s)', async (_what, type, rest, value, after, another) => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field('companies', { name: 'It', type, ...rest })
    const made = await api.post('/companies', { name: 'Acme', custom_fields: { it: value } })
    const { id, attributes } = made.body.data
    expect(attributes.custom_fields.it).toEqual(value)
    await workspace.updateField('companies', 'it', after)

    const put = await api.put(`/companies/${id}`, attributes)
    expect(put.status, put.text).toBe(200)
    expect(put.body).toEqual(made.body)
    expect((await api.get(`/companies/${id}`)).body).toEqual(made.body)

    // Other attributes can be changed, and everything else is still refused.
    const renamed = await api.put(`/companies/${id}`, { name: 'Renamed', custom_fields: { it: value } })
    expect(renamed.body.data.attributes).toMatchObject({ name: 'Renamed', custom_fields: { it: value } })
    const refused = await api.put(`/companies/${id}`, { name: '', custom_fields: { it: value, nothing: 1 } })
    expect(Object.keys(refused.body.errors).sort()).toEqual(['custom_fields', 'name'])
    const changed = await api.put(`/companies/${id}`, { custom_fields: { it: another } })
    expect(changed.status).toBe(422)
    expect(Object.keys(changed.body.errors)).toEqual(['custom_fields.it'])
    const created = await api.post('/companies', { name: 'Other', custom_fields: { it: value } })
    expect(Object.keys(created.body.errors)).toEqual(['custom_fields.it'])
    expect((await api.get(`/companies/${id}`)).body).toEqual(renamed.body)
  })

  it('an upsert may send back what its record holds', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field('people', { name: 'Motto', type: 'text' })
    const body = {
      match: { field: 'emails', value: 'a@x.example' },
      name: 'Ada',
      custom_fields: { motto: 'Too long soon' },
    }
    const first = await api.post('/people/upsert', body)
    expect(first.status).toBe(201)
    await workspace.updateField('people', 'motto', { settings: { max_length: 3 } })
    const second = await api.post('/people/upsert', body)
    expect(second.status).toBe(200)
    expect(second.body).toEqual(first.body)
    const other = { ...body, match: { field: 'emails', value: 'b@x.example' } }
    expect(Object.keys((await api.post('/people/upsert', other)).body.errors)).toEqual(['custom_fields.motto'])
  })

  it('a key or a parameter that only looks like a value is unknown all the same', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const { data } = (await api.post('/companies', { name: 'Acme' })).body
    const key = await api.put(`/companies/${data.id}`, { ...data.attributes, 'custom_fields.icp': null })
    expect(Object.keys(key.body.errors)).toEqual(['custom_fields.icp'])
    const bare = await api.put(`/companies/${data.id}`, { 'custom_fields.icp': null })
    expect(Object.keys(bare.body.errors)).toEqual(['custom_fields.icp'])
    const parameter = await api.put(`/companies/${data.id}?custom_fields.icp=`, data.attributes)
    expect(Object.keys(parameter.body.errors)).toEqual(['custom_fields.icp'])
  })

  it('an option was deleted, renamed or moved', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const options = ['A', 'B', 'C']
    await workspace.field('notes', { name: 'One', type: 'radio', options })
    await workspace.field('notes', { name: 'Many', type: 'checkbox-list', options })
    const made = await api.post('/notes', { title: 'N', custom_fields: { one: 'A', many: ['B', 'A'] } })
    const { id, attributes } = made.body.data
    await workspace.updateField('notes', 'many', { options: ['C', 'B'] })
    await workspace.updateField('notes', 'one', { rename_options: [{ from: 'A', to: 'Alpha' }] })
    const read = (await api.get(`/notes/${id}`)).body
    expect(labelled(read.data.attributes.custom_fields.one)).toBe('Alpha')
    expect(labelled(read.data.attributes.custom_fields.many)).toEqual(['B'])
    expect((await api.put(`/notes/${id}`, read.data.attributes)).body).toEqual(read)
    // The old label comes with an id, which identifies the option.
    const { one } = attributes.custom_fields
    expect((await api.put(`/notes/${id}`, { custom_fields: { one } })).body).toEqual(read)
  })

  it('it became unique while others hold the same', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field('tasks', { name: 'Ref', type: 'text' })
    const first = (await api.post('/tasks', { title: 'T', custom_fields: { ref: 'X1' } })).body
    await api.post('/tasks', { title: 'T', custom_fields: { ref: 'x1' } })
    await workspace.updateField('tasks', 'ref', { unique: true })
    expect((await api.put(`/tasks/${first.data.id}`, first.data.attributes)).body).toEqual(first)
  })

  it('it became required, and the record lacks it', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await workspace.field('opportunities', { name: 'Region', type: 'text' })
    await workspace.field('opportunities', { name: 'Tags', type: 'tags-input' })
    const made = (await api.post('/opportunities', { name: 'O' })).body
    for (const code of ['region', 'tags']) await workspace.updateField('opportunities', code, { required: true })
    const path = `/opportunities/${made.data.id}`
    expect((await api.put(path, made.data.attributes)).body).toEqual(made)
    const set = await api.put(path, { custom_fields: { region: 'North', tags: ['a'] } })
    expect(set.status).toBe(200)
    const cleared = await api.put(path, { custom_fields: { region: null, tags: [] } })
    expect(cleared.body.errors).toEqual({
      'custom_fields.region': ['The Region field is required.'],
      'custom_fields.tags': ['The Tags field is required.'],
    })
    expect((await api.get(path)).body).toEqual(set.body)
  })

  it('it was archived: sent back from an older read it is unknown, from a newer one it is not there', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const made = (await api.post('/people', { name: 'P', custom_fields: { job_title: 'Boss' } })).body
    await archiveField(await workspace.scope(), { entity_type: 'people', code: 'job_title' })
    const old = await api.put(`/people/${made.data.id}`, made.data.attributes)
    expect(Object.keys(old.body.errors)).toEqual(['custom_fields'])
    expect(old.body.message).toContain('job_title')
    const read = (await api.get(`/people/${made.data.id}`)).body
    expect((await api.put(`/people/${made.data.id}`, read.data.attributes)).body).toEqual(read)
  })
})
