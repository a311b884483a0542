import { beforeAll, describe, expect, it } from 'vitest'
import { madeResource } from '../../own-resource.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
})

const define = (resource: string, input: object) => workspace.api.post(`/schema/${resource}/fields`, input)

describe('A reference field', () => {
  it.each([
    ['no target', {}, 'target', 'The target is required for a record field'],
    ['an unknown target', { target: 'compani' }, 'target', 'Did you mean companies?'],
    ['a target that is no text', { target: 4 }, 'target', 'must be the code of a resource'],
    ['unique values', { target: 'companies', unique: true }, 'unique', 'A record field cannot be unique.'],
    ['an inverse without a name', { target: 'companies', inverse: {} }, 'inverse.name', 'is required'],
    ['an inverse that is no object', { target: 'companies', inverse: 'x' }, 'inverse', 'must be an object'],
    [
      'an inverse of a wrong form',
      { target: 'companies', inverse: { name: 'X', code: 'X y' } },
      'inverse.code',
      'must begin with a letter',
    ],
    [
      'an inverse that the target has',
      { target: 'companies', inverse: { name: 'People' } },
      'inverse.code',
      'have the name people already. Choose another code. It was made from the name: send an inverse.code.',
    ],
    [
      'an inverse whose count the target has',
      { target: 'tasks', inverse: { name: 'X', code: 'projects' } },
      'inverse.code',
      'have the name projects already',
    ],
    ['an unknown part of the inverse', { target: 'companies', inverse: { name: 'X', x: 1 } }, 'inverse.x', 'not known'],
  ])('cannot have %s', async (_, input, path, message) => {
    const answer = await define('projects', { name: 'Wrong', type: 'record', ...input })
    expect(answer.status, answer.text).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([path])
    expect(answer.body.errors[path][0]).toContain(message)
  })

  it('alone has a target and an inverse', async () => {
    const text = await define('projects', { name: 'Wrong', type: 'text', target: 'companies' })
    expect(text.body.errors.target[0]).toBe('A text field has no target. Types that have: record.')
    const member = await define('projects', { name: 'Wrong', type: 'member', inverse: { name: 'X' } })
    expect(member.body.errors.inverse[0]).toBe('A member field has no inverse. Types that have: record.')
  })

  it('keeps its target and the code of its inverse, and can be sent back as it is read', async () => {
    const made = await define('projects', {
      name: 'Client',
      type: 'record',
      target: 'companies',
      inverse: { name: 'Sales orders' },
    })
    expect(made.status, made.text).toBe(201)
    const read = made.body.data.attributes
    expect(read.settings).toEqual({ target: 'companies', inverse: { code: 'sales_orders', name: 'Sales orders' } })
    const path = '/schema/projects/fields/client'
    const again = await workspace.api.put(path, read)
    expect(again.status, again.text).toBe(200)
    expect(again.body.data.attributes).toEqual(read)
    const moved = await workspace.api.patch(path, { target: 'people' })
    expect(moved.body.errors).toEqual({ target: ['The target of a field never changes; it is companies.'] })
    const coded = await workspace.api.patch(path, { settings: { inverse: { code: 'x', name: 'X' } } })
    expect(Object.keys(coded.body.errors)).toEqual(['settings.inverse.code'])
    const renamed = await workspace.api.patch(path, { inverse: { name: 'Orders' } })
    expect(renamed.body.data.attributes.settings.inverse).toEqual({ code: 'sales_orders', name: 'Orders' })
    const company = (await workspace.api.post('/companies', { name: 'C' })).body.data.id
    const included = await workspace.api.get(`/companies/${company}?include=salesOrders,salesOrdersCount`)
    expect(included.body.data).toMatchObject({
      attributes: { sales_orders_count: 0 },
      relationships: { salesOrders: { data: [] } },
    })
    const removed = await workspace.api.patch(path, { inverse: null })
    expect(removed.body.data.attributes.settings).toEqual({ target: 'companies', inverse: null })
    expect((await workspace.api.get(`/companies/${company}?include=salesOrders`)).status).toBe(422)
    const added = await workspace.api.patch(path, { inverse: { name: 'Jobs', code: 'client_jobs' } })
    expect(added.body.data.attributes.settings.inverse).toEqual({ code: 'client_jobs', name: 'Jobs' })
  })

  it('keeps the code of its inverse while it is archived, and frees it when it is deleted', async () => {
    const input = { type: 'record', target: 'people', inverse: { name: 'Visits' } }
    expect((await define('projects', { name: 'Contact', ...input })).status).toBe(201)
    await workspace.api.delete('/schema/projects/fields/contact')
    const taken = await define('projects', { name: 'Other', ...input })
    expect(Object.keys(taken.body.errors)).toEqual(['inverse.code'])
    const coded = await workspace.api.post('/schema', { name: 'Visits', singular: 'Visit' })
    expect(coded.status, coded.text).toBe(201)
    await workspace.api.delete('/schema/projects/fields/contact?permanently=true')
    const made = await define('projects', { name: 'Other', ...input })
    expect(made.status, made.text).toBe(201)
  })

  it('gives tasks a name that no resource can take then', async () => {
    const made = await define('companies', {
      name: 'First task',
      type: 'record',
      target: 'tasks',
      inverse: { name: 'Plans' },
    })
    expect(made.status, made.text).toBe(201)
    const answer = await workspace.api.post('/schema', { name: 'Plans', singular: 'Plan' })
    expect(answer.body.errors.code[0]).toContain('is the name of a relation of tasks or notes already')
  })
})

describe('A resource', () => {
  it('cannot be archived while a field of another one refers to it', async () => {
    await madeResource(workspace, { name: 'Sites', singular: 'Site' })
    expect((await define('projects', { name: 'Site', type: 'record', target: 'sites' })).status).toBe(201)
    expect((await define('sites', { name: 'Parent', type: 'record', target: 'sites' })).status).toBe(201)
    const refused = await workspace.api.delete('/schema/sites')
    expect(refused.status).toBe(422)
    expect(refused.body.errors.resource[0]).toContain('(projects.site)')
    await workspace.api.delete('/schema/projects/fields/site')
    expect((await workspace.api.delete('/schema/sites')).status).toBe(204)
    const restored = await workspace.api.put('/schema/projects/fields/site/restore')
    expect(Object.keys(restored.body.errors)).toEqual(['target'])
    const archived = await define('projects', { name: 'New site', type: 'record', target: 'sites' })
    expect(archived.body.errors.target[0]).toContain('The resource sites is archived.')
    expect((await workspace.api.delete('/schema/sites?permanently=true')).status).toBe(204)
    const gone = await workspace.api.patch('/schema/projects/fields/site', { name: 'X' })
    expect(gone.status).toBe(404)
  })
})
