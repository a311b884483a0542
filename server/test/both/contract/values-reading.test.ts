import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { archiveField, deleteField, restoreField } from '../../../src/schema/define.ts'
import type { Answered } from '../../api.ts'
import { labelled, samples, valueTypeNames } from '../../field-samples.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

/** What a note is linked by. */
const linkKeys = new Map<string, string>(Object.entries(registry.notes.links).map(([key, { to }]) => [to, key]))

function create({ api }: TestWorkspace, resource: ResourceName, custom_fields: object): Promise<Answered> {
  return api.post(`/${resource}`, { [declared(resource).label]: 'Acme', custom_fields })
}

async function codesOf({ api }: TestWorkspace, resource: ResourceName): Promise<string[]> {
  const { body } = await api.get(`/custom-fields?entity_type=${resource}&per_page=100`)
  return body.data.map((field: { attributes: { code: string } }) => field.attributes.code)
}

describe('4. Reading: custom_fields holds every active field of the type, by code, in field order', () => {
  it.each(testedResources)('%s: unset is null, or [] for list types', async (resource) => {
    const workspace = await workspaceWithOwn()
    for (const type of valueTypeNames) await workspace.field(resource, { name: type, type, ...samples[type].rest })
    const made = await create(workspace, resource, {})
    const values = made.body.data.attributes.custom_fields
    expect(Object.keys(values)).toEqual(await codesOf(workspace, resource))
    for (const type of valueTypeNames) {
      expect(values[type.replaceAll('-', '_')], type).toEqual(samples[type].unset)
    }
    const bare = await workspace.api.post(`/${resource}`, { [declared(resource).label]: 'Acme' })
    expect(bare.body.data.attributes.custom_fields).toEqual(values)
  })

  it.each(testedResources)('%s: lists, queries, reads and included records show the same', async (resource) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await workspace.field(resource, { name: 'Size', type: 'select', options: ['S', 'M'] })
    const { data } = (await create(workspace, resource, { size: 'm' })).body
    expect(data.attributes.custom_fields.size).toEqual({ id: expect.any(String), label: 'M' })
    expect((await api.get(`/${resource}/${data.id}`)).body.data).toEqual(data)
    expect((await api.get(`/${resource}`)).body.data).toEqual([data])
    expect((await api.post(`/${resource}/query`, {})).body.data).toEqual([data])
    const noteKey = linkKeys.get(resource)
    if (noteKey === undefined) return
    const noted = await api.post(`/notes?include=${resource}`, { title: 'About it', [noteKey]: [data.id] })
    expect(noted.body.included).toEqual([data])
  })

  it('the order is that of the fields, whatever the order in which values were sent', async () => {
    const workspace = await workspaceWithOwn()
    for (const name of ['Alpha', 'Beta', 'Gamma']) await workspace.field('notes', { name, type: 'text' })
    const made = await create(workspace, 'notes', { gamma: 'g', alpha: 'a', body: 'x', beta: 'b' })
    expect(Object.keys(made.body.data.attributes.custom_fields)).toEqual(['body', 'alpha', 'beta', 'gamma'])
    await workspace.updateField('notes', 'gamma', { position: 1 })
    const read = await workspace.api.get(`/notes/${made.body.data.id}`)
    expect(Object.entries(read.body.data.attributes.custom_fields)).toEqual([
      ['gamma', 'g'],
      ['body', 'x'],
      ['alpha', 'a'],
      ['beta', 'b'],
    ])
  })

  it('a field that is new is unset on the records there are', async () => {
    const workspace = await workspaceWithOwn()
    const { id } = (await create(workspace, 'people', {})).body.data
    await workspace.field('people', { name: 'Tags', type: 'tags-input' })
    await workspace.field('people', { name: 'Size', type: 'number' })
    const { body } = await workspace.api.get(`/people/${id}`)
    expect(body.data.attributes.custom_fields).toMatchObject({ tags: [], size: null })
  })

  it('the fields of another resource and another workspace are not shown', async () => {
    const [workspace, other] = [await workspaceWithOwn(), await workspaceWithOwn()]
    await workspace.field('people', { name: 'Size', type: 'number' })
    await other.field('companies', { name: 'Size', type: 'number' })
    const made = await create(workspace, 'companies', {})
    expect(Object.keys(made.body.data.attributes.custom_fields)).toEqual(['domains', 'linkedin', 'icp'])
  })
})

describe('4. Reading: values of inactive or deleted fields are not shown', () => {
  it.each(valueTypeNames)('%s: archived, its values are hidden; restored, they are shown again', async (type) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const { rest, one } = samples[type]
    await workspace.field('companies', { name: 'It', type, ...rest })
    const { data } = (await create(workspace, 'companies', { it: one, icp: true })).body
    expect(labelled(data.attributes.custom_fields.it)).toEqual(one)
    const address = { entity_type: 'companies', code: 'it' } as const

    await archiveField(await workspace.scope(), address)
    const hidden = (await api.get(`/companies/${data.id}`)).body.data.attributes
    expect(Object.keys(hidden.custom_fields)).toEqual(['domains', 'linkedin', 'icp'])
    expect(hidden.updated_at).toBe(data.attributes.updated_at)
    const renamed = await api.put(`/companies/${data.id}`, { name: 'Meanwhile', custom_fields: { icp: false } })
    expect(renamed.status).toBe(200)

    await restoreField(await workspace.scope(), address)
    const again = (await api.get(`/companies/${data.id}`)).body.data.attributes.custom_fields
    expect(again).toEqual({ ...data.attributes.custom_fields, icp: false })
  })

  it.each(valueTypeNames)('%s: deleted and created again with the same code, it starts empty', async (type) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const { rest, one, unset } = samples[type]
    const address = { entity_type: 'companies', code: 'it' } as const
    let field = await workspace.field('companies', { name: 'It', type, ...rest })
    const { id } = (await create(workspace, 'companies', { it: one })).body.data
    // Twice, for what was deleted first must not come back either.
    for (let round = 0; round < 2; round++) {
      await archiveField(await workspace.scope(), address)
      await deleteField(await workspace.scope(), address)
      expect((await api.get(`/companies/${id}`)).body.data.attributes.custom_fields).not.toHaveProperty('it')
      const before = field.id
      field = await workspace.field('companies', { name: 'It', type, ...rest })
      expect(field.id).not.toBe(before)
      expect((await api.get(`/companies/${id}`)).body.data.attributes.custom_fields.it).toEqual(unset)
      const empty = { filter: { custom_fields: { it: { $is_empty: true } } } }
      expect((await api.post('/companies/query', empty)).body.data).toHaveLength(1)
      const again = await api.put(`/companies/${id}`, { custom_fields: { it: one } })
      expect(labelled(again.body.data.attributes.custom_fields.it)).toEqual(one)
    }
  })
})
