import { shownResource } from '@kith/contract/own-resource'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { updateField } from '../../../src/schema/define.ts'
import { relatedRecords } from '../../derived/full-records.ts'
import { readExport } from '../../exported.ts'
import { samples, valueTypeNames } from '../../field-samples.ts'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { made, problemsOf } from '../../records.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const type of valueTypeNames) {
    await workspace.field('companies', { name: type, type, code: codeOf(type), ...samples[type].rest })
  }
})

function codeOf(type: string): string {
  return `my_${type.replaceAll('-', '_')}`
}

describe('sync 7. GET /v1/schema, GET /v1/schema/{resource}', () => {
  it('a list of all, or one: version, what it is called, attributes, relations, counts, custom_fields', async () => {
    const { api } = workspace
    const all = (await api.get('/schema')).body.data
    expect(all.map(({ id, type }: { id: string; type: string }) => [id, type])).toEqual(
      everyResource.map((name) => [name, 'schemas']),
    )
    for (const one of all) {
      expect((await api.get(`/schema/${one.id}`)).body).toEqual({ data: one })
      expect(Object.keys(one.attributes)).toEqual([
        'version',
        ...Object.keys(shownResource),
        ...['attributes', 'relations', 'counts', 'custom_fields'],
      ])
      const counts = Object.values(declared(one.id).counts)
      expect(Object.keys(one.attributes.counts)).toEqual(counts.map(({ attribute }) => attribute))
    }
  })

  it('for each name its type, whether it can be written, sorted, is required, is unique, and its operators', async () => {
    const { attributes, relations, counts } = (await workspace.api.get('/schema/tasks')).body.data.attributes
    const plain = { writable: false, sortable: false, required: false, unique: false, operators: [] }
    expect(attributes).toMatchObject({
      title: { type: 'text', readable: true, writable: true, sortable: true, required: true, unique: false },
      company_ids: { ...plain, type: 'references', readable: false, writable: true, to: 'companies' },
      external_ids: { type: 'external_ids', writable: true, unique: true, include: 'externalIds' },
      creation_source: { type: 'choice', writable: false, values: expect.arrayContaining(['api']) },
      updated_at: { type: 'time', writable: false, sortable: true, operators: expect.arrayContaining(['$gt']) },
      assigned_to_me: { ...plain, type: 'boolean', readable: false, operators: ['$eq'] },
    })
    const assignees = { type: 'users', many: true, includable: true, nested_conditions: false, writable: true }
    expect(relations.assignees).toMatchObject({ ...assignees, written_as: 'assignee_ids' })
    expect(relations.creator).toMatchObject({ type: 'users', many: false, writable: false })
    expect(counts.people_count).toEqual({ type: 'integer', include: 'peopleCount', ...plain })
    const people = (await workspace.api.get('/schema/people')).body.data.attributes
    expect(people.attributes.company_id).toMatchObject({ type: 'reference', to: 'companies', relation: 'company' })
    expect(people.relations.notes).toMatchObject({ type: 'notes', many: true, includable: false, writable: false })
    expect(people.custom_fields.emails).toMatchObject({
      unique: true,
      matchable: true,
      parts: { domain: ['$in', '$not_in'] },
    })
  })

  it('options with ids', async () => {
    const { custom_fields } = (await workspace.api.get('/schema/companies')).body.data.attributes
    const listed = (await workspace.api.get('/custom-fields?entity_type=companies&per_page=100')).body.data
    expect(Object.keys(custom_fields)).toEqual(
      listed.map(({ attributes }: { attributes: { code: string } }) => attributes.code),
    )
    for (const { id, attributes } of listed) {
      const { code, entity_type: _, ...shown } = attributes
      expect(custom_fields[code]).toMatchObject({ id, ...shown })
    }
    expect(custom_fields.my_select.options.map(({ label }: { label: string }) => label)).toEqual(['A', 'B'])
    expect(custom_fields.my_select).toMatchObject({ sortable: true, operators: expect.arrayContaining(['$in']) })
  })

  it('the version is X-Schema-Version and, quoted, the strong ETag; If-None-Match is 304', async () => {
    const { api } = workspace
    for (const path of ['/schema', '/schema/notes', '/schema?format=json-schema']) {
      const read = await api.get(path)
      const version = read.headers.get('x-schema-version')
      expect(read.headers.get('etag')).toBe(`"${version}"`)
      if (path === '/schema/notes') expect(read.body.data.attributes.version).toBe(Number(version))
      const again = await api.get(path, { headers: { 'If-None-Match': `"${version}"` } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', `"${version}"`])
      await workspace.updateField('notes', 'body', { description: `Read at ${path}.` })
      const changed = await api.get(path, { headers: { 'If-None-Match': `"${version}"` } })
      expect([changed.status, changed.headers.get('etag')]).toEqual([200, `"${Number(version) + 1}"`])
    }
  })

  it('a token that was admitted before a change reads the version that it shows', async () => {
    const before = await workspace.scope()
    await updateField(await workspace.scope(), { entity_type: 'notes', code: 'body' }, { name: 'Text' })
    const { readSchemas } = await import('../../../src/schema/read-schema.ts')
    const read = await readSchemas(before, 'notes', { raw: {}, loose: true, issues: [] })
    const [schema] = 'schemas' in read ? read.schemas : []
    expect(schema?.attributes.version).toBe(before.workspace.fields_version + 1)
    expect(schema?.attributes.custom_fields.body?.name).toBe('Text')
  })

  it('needs read; an unknown resource is 404 and an unknown parameter or format 422', async () => {
    const { api } = workspace
    const writer = await workspace.token({ abilities: ['create', 'update', 'delete'] })
    expect((await writer.get('/schema')).status).toBe(403)
    expect((await api.get('/schema/widgets')).status).toBe(404)
    expect((await api.post('/schema/widgets/fields', {})).status).toBe(404)
    expect(Object.keys(await problemsOf(api.get('/schema?formt=x&format=yaml')))).toEqual(['formt', 'format'])
    expect(await problemsOf(api.get('/schema/tasks?format=yaml'))).toEqual({
      format: ['The format must be json-schema, or left out.'],
    })
    const viewer = await workspace.token({ user: await workspace.member('viewer') })
    expect((await viewer.get('/schema/tasks')).status).toBe(200)
  })
})

describe('sync 7. format=json-schema: JSON Schema 2020-12 of the sync form', () => {
  it('accepts every record of an export, and describes all that it has', async () => {
    const { api } = workspace
    await relatedRecords(workspace)
    const values = Object.fromEntries(valueTypeNames.map((type) => [codeOf(type), samples[type].other]))
    const record = await made(api, 'companies', { custom_fields: values, external_ids: { crm: ['1', '2'] } })
    const whole = compiled((await api.get('/schema?format=json-schema')).body)
    for (const type of everyResource) {
      const { body, headers } = await api.get(`/schema/${type}?format=json-schema`)
      expect(headers.get('content-type')).toBe('application/vnd.api+json')
      const validate = compiled(body)
      const { records } = await readExport(api, `/${type}/export`)
      expect(records.length).toBeGreaterThan(0)
      for (const one of records) {
        expect(validate(one), JSON.stringify(validate.errors)).toBe(true)
        expect(whole(one)).toBe(true)
        expect(Object.keys(one).toSorted()).toEqual(Object.keys(body.properties).toSorted())
        const { attributes } = body.properties
        expect(Object.keys(one.attributes).toSorted()).toEqual(Object.keys(attributes.properties).toSorted())
        const fields = Object.keys(attributes.properties.custom_fields.properties)
        expect(Object.keys(one.attributes.custom_fields)).toEqual(fields)
        const relations = Object.keys(body.properties.relationships?.properties ?? {})
        expect(Object.keys(one.relationships ?? {}).toSorted()).toEqual(relations.toSorted())
      }
    }
    const { body } = await api.get('/schema/companies?format=json-schema')
    const [first] = (await readExport(api, `/companies/export?after=${record.id.slice(0, -1)}0`)).records
    for (const [code, wrong] of [
      ['my_select', { id: record.id, label: 'A' }],
      ['my_date', 'tomorrow'],
      ['my_tags_input', null],
      ['my_number', '1'],
      ['unknown', 1],
    ]) {
      const custom_fields = { ...first?.attributes.custom_fields, [String(code)]: wrong }
      expect(compiled(body)({ ...first, attributes: { ...first?.attributes, custom_fields } }), String(code)).toBe(
        false,
      )
    }
  })
})

function compiled(schema: { $schema: string }) {
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, keywords: ['x-kith-type'] })
  formats.default(ajv)
  return ajv.compile(schema)
}
