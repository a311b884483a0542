import { describe, expect, it } from 'vitest'
import { archiveField, restoreField } from '../../../src/schema/define.ts'
import { labelled, samples, valueTypeNames } from '../../field-samples.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'

const problem = { 'custom_fields.it': ['The It field is required.'] }
const match = { field: 'domains', value: 'acme.example' }

describe('4. Required: demanded on create and on an upsert that creates', () => {
  it.each(valueTypeNames)('%s', async (type) => {
    const { api, field } = await workspaceWithOwn()
    const { rest, one, unset } = samples[type]
    await field('companies', { name: 'It', type, required: true, ...rest })
    const ways = [
      (body: object) => api.post('/companies', { name: 'Acme', ...body }),
      (body: object) => api.post('/companies/upsert', { match, name: 'Acme', ...body }),
    ]
    const empties = [unset, null, ...(type === 'text' || unset !== null ? ['', '  '] : [])]
    for (const write of ways) {
      const bodies = [{}, { custom_fields: {} }, ...empties.map((it) => ({ custom_fields: { it } }))]
      for (const body of bodies) {
        const answer = await write(body)
        expect(answer.status, JSON.stringify(body)).toBe(422)
        expect(answer.body).toEqual({ message: 'The It field is required.', errors: problem })
      }
      expect((await api.get('/companies')).body.meta.total).toBe(ways.indexOf(write))
      const answer = await write({ custom_fields: { it: one } })
      expect(answer.status).toBe(201)
      expect(labelled(answer.body.data.attributes.custom_fields.it)).toEqual(one)
    }
  })

  it.each(testedResources)('%s: each missing field is named', async (resource) => {
    const { api, field } = await workspaceWithOwn()
    for (const name of ['One', 'Two', 'Three']) await field(resource, { name, type: 'text', required: true })
    const answer = await api.post(`/${resource}`, { [declared(resource).label]: 'A', custom_fields: { two: 'x' } })
    expect(answer.status).toBe(422)
    expect(answer.body).toEqual({
      message: 'The One field is required. (and 1 more error)',
      errors: {
        'custom_fields.one': ['The One field is required.'],
        'custom_fields.three': ['The Three field is required.'],
      },
    })
  })

  it('a value that is sent and wrong is not also missing', async () => {
    const { api, field } = await workspaceWithOwn()
    await field('companies', { name: 'It', type: 'number', required: true })
    const answer = await api.post('/companies', { name: 'Acme', custom_fields: { it: 'many' } })
    expect(answer.body.errors).toEqual({ 'custom_fields.it': ['The It must be a number.'] })
  })

  it('false and 0 are values', async () => {
    const { api, field } = await workspaceWithOwn()
    await field('companies', { name: 'Flag', type: 'checkbox', required: true })
    await field('companies', { name: 'Count', type: 'number', required: true })
    const made = await api.post('/companies', { name: 'Acme', custom_fields: { flag: false, count: 0 } })
    expect(made.status).toBe(201)
    expect(made.body.data.attributes.custom_fields).toMatchObject({ flag: false, count: 0 })
  })

  it('the value that an upsert looks for satisfies its own field', async () => {
    const { api, updateField } = await workspaceWithOwn()
    await updateField('companies', 'domains', { required: true })
    const made = await api.post('/companies/upsert', { match, name: 'Acme' })
    expect(made.status).toBe(201)
    expect(made.body.data.attributes.custom_fields.domains).toEqual(['acme.example'])
  })

  it('an archived field is not required, a restored one is again', async () => {
    const workspace = await workspaceWithOwn()
    const address = { entity_type: 'companies', code: 'it' } as const
    await workspace.field('companies', { name: 'It', type: 'text', required: true })
    await archiveField(await workspace.scope(), address)
    expect((await workspace.api.post('/companies', { name: 'Acme' })).status).toBe(201)
    await restoreField(await workspace.scope(), address)
    expect((await workspace.api.post('/companies', { name: 'Acme' })).body.errors).toEqual(problem)
  })
})

describe('4. Required: on update only a required field that is sent as null or empty is refused', () => {
  it.each(valueTypeNames)('%s', async (type) => {
    const { api, field } = await workspaceWithOwn()
    const { rest, one, other, unset } = samples[type]
    await field('companies', { name: 'It', type, required: true, ...rest })
    const made = await api.post('/companies/upsert', { match, name: 'Acme', custom_fields: { it: one } })
    const { id, attributes } = made.body.data
    const ways = [
      (body: object) => api.put(`/companies/${id}`, body),
      (body: object) => api.patch(`/companies/${id}`, body),
      (body: object) => api.post('/companies/upsert', { match, name: 'Acme', ...body }),
    ]
    for (const write of ways) {
      for (const it of [null, unset, ...(type === 'text' || unset !== null ? ['', '  '] : [])]) {
        const answer = await write({ name: 'Renamed', custom_fields: { it, icp: true } })
        expect(answer.status, JSON.stringify(it)).toBe(422)
        expect(answer.body.errors).toEqual(problem)
      }
      expect((await write({})).body.data.attributes).toEqual(attributes)
      expect((await write({ custom_fields: {} })).body.data.attributes).toEqual(attributes)
    }
    const changed = await api.put(`/companies/${id}`, { custom_fields: { it: other } })
    expect(labelled(changed.body.data.attributes.custom_fields.it)).toEqual(other)
  })

  it('a record from before the field was required can be read, sent back and changed without it', async () => {
    const { api, updateField } = await workspaceWithOwn()
    const { id, attributes } = (await api.post('/people', { name: 'Ada' })).body.data
    await updateField('people', 'job_title', { required: true })
    const resent = await api.put(`/people/${id}`, attributes)
    expect(resent.status).toBe(200)
    expect(resent.body.data.attributes).toEqual(attributes)
    const renamed = await api.patch(`/people/${id}`, { name: 'Ada Lovelace' })
    expect(renamed.body.data.attributes).toMatchObject({ name: 'Ada Lovelace', custom_fields: { job_title: null } })
    await api.patch(`/people/${id}`, { custom_fields: { job_title: 'Countess' } })
    const cleared = await api.patch(`/people/${id}`, { custom_fields: { job_title: null } })
    expect(cleared.body.errors).toEqual({ 'custom_fields.job_title': ['The Job title field is required.'] })
  })
})
