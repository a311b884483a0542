import { createClient, KithError } from '@kith/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

describe('sync 11. kith.schema', () => {
  let workspace: TestWorkspace
  let kith: ReturnType<typeof createClient>
  beforeAll(async () => {
    workspace = await newWorkspace()
    kith = createClient({ url: workspace.api.base.replace(/\/v1$/, ''), token: workspace.api.token })
  })

  it('creates, changes, orders, archives, restores and removes fields', async () => {
    const field = { resource: 'companies', code: 'tier' } as const
    const created = await kith.schema.createField('companies', { name: 'Tier', type: 'select', options: ['Gold'] })
    expect(created.data.attributes).toMatchObject({ code: 'tier', options: [{ label: 'Gold' }] })
    const { data } = await kith.schema.updateField(field, { name: 'Customer tier' }, { ifMatch: created.data })
    expect(data.attributes.name).toBe('Customer tier')
    const stale = kith.schema.updateField(field, { name: 'Other' }, { ifMatch: created.data })
    await expect(stale).rejects.toMatchObject({ kind: 'precondition_failed' })
    const codes = ['tier', 'icp', 'linkedin', 'domains']
    const ordered = await kith.schema.order('companies', codes)
    expect(ordered.data.map(({ attributes }) => attributes.code)).toEqual(codes)
    await kith.schema.archive(field)
    expect(Object.keys((await kith.schema.read('companies')).data.attributes.custom_fields)).toEqual(codes.slice(1))
    expect((await kith.schema.restore(field)).data.attributes.position).toBe(1)
    await kith.schema.archive(field)
    await kith.schema.remove(field)
    await expect(kith.schema.restore(field)).rejects.toBeInstanceOf(KithError)
  })

  it('makes, changes, orders, archives, restores and removes resources, whose records it reads and follows', async () => {
    const own = createClient<{ companies: object; projects: { goal: string | null } }>({
      url: workspace.api.base.replace(/\/v1$/, ''),
      token: workspace.api.token,
    })
    const created = await own.schema.createResource({ name: 'Projects', singular: 'Project' })
    expect(created.data).toMatchObject({ id: 'projects', attributes: { own: true, singular_code: 'project' } })
    await own.schema.createResource({ name: 'Cars', singular: 'Car' })
    await own.schema.createField('projects', { name: 'Goal', type: 'text' })
    const changed = await own.schema.updateResource('projects', { icon: 'rocket' }, { ifMatch: created.data })
    expect(changed.data.attributes.icon).toBe('rocket')
    const { data: ordered } = await own.schema.orderResources(['cars', 'projects'])
    expect(ordered.map(({ id }) => id)).toEqual(['cars', 'projects'])
    const { data: fields } = await own.customFields.list({ entity_type: 'projects' })
    expect(fields.map(({ attributes }) => attributes.code)).toEqual(['goal'])

    const projects = own.resource('projects')
    const { data } = await projects.create({ name: 'Apollo', custom_fields: { goal: 'Moon' } })
    const goal: string | null = data.attributes.custom_fields.goal
    expect(goal).toBe('Moon')
    const names: string[] = []
    for await (const { attributes } of projects.all({ sort: 'name' })) names.push(attributes.name)
    expect(names).toEqual(['Apollo'])
    expect((await own.search('apollo', { resource: 'projects' })).data).toHaveLength(1)
    const copy = new Map<string, unknown>()
    await own.mirror({
      resource: 'projects',
      once: true,
      put: (record) => void copy.set(record.id, record),
      remove: ({ id }) => void copy.delete(id),
      save: () => {},
    })
    expect([...copy.keys()]).toEqual([data.id])
    await projects.delete(data.id)
    expect((await own.trash.list({ resource: 'projects' })).data).toHaveLength(1)

    await own.schema.archiveResource('projects')
    expect((await own.schema.list({ archived: true })).data).toHaveLength(7)
    expect((await own.schema.restoreResource('projects')).data.attributes.archived_at).toBeNull()
    for (const code of ['projects', 'cars']) {
      await own.schema.archiveResource(code)
      await own.schema.removeResource(code)
    }
    expect((await own.schema.list({ archived: true })).data).toHaveLength(5)
  })

  it('adds, changes and removes options', async () => {
    const field = { resource: 'tasks', code: 'status' } as const
    const added = await kith.schema.addOption(field, { label: 'Blocked' })
    expect(added).toMatchObject({ created: true, data: { attributes: { label: 'Blocked', position: 4 } } })
    const again = await kith.schema.addOption(field, { label: 'blocked' })
    expect(again).toEqual({ data: added.data, created: false })
    await kith.tasks.create({ title: 'One', custom_fields: { status: 'Blocked' } })
    const option = { ...field, id: added.data.id }
    const changed = await kith.schema.updateOption(option, { label: 'Waiting', position: 1 })
    expect(changed.data.attributes).toMatchObject({ label: 'Waiting', position: 1 })
    expect(await kith.schema.removeOption(option, { idempotencyKey: 'once' })).toEqual({ changed: 1 })
    expect(await kith.schema.removeOption(option, { idempotencyKey: 'once' })).toEqual({ changed: 1 })
  })

  it('reads all schemas, one, and its JSON Schema', async () => {
    const { data } = await kith.schema.list()
    expect(data.map(({ id }) => id)).toEqual(['companies', 'people', 'opportunities', 'tasks', 'notes'])
    expect((await kith.schema.read('notes')).data).toEqual(data[4])
    expect(await kith.schema.jsonSchema('notes')).toMatchObject({ title: 'notes', type: 'object' })
  })
})
