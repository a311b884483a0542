import { OWN_RESOURCES_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Answered, Api } from '../../api.ts'
import { madeResource } from '../../own-resource.ts'
import { made, problemsOf } from '../../records.ts'
import { expectOneEffect, keyed } from '../../same-key.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { audited } from '../operations/audited.ts'

let workspace: TestWorkspace
let api: Api

beforeEach(async () => {
  workspace = await newWorkspace()
  api = workspace.api
})

const projects = { name: 'Projects', singular: 'Project' }

const versionIn = ({ headers }: Answered) => Number(headers.get('x-schema-version'))
const codesIn = ({ body }: Answered) => body.data.map(({ id }: { id: string }) => id)
const rule = 'must begin with a letter from a to z and go on with such letters, digits and underscores, 2 to 40 in all.'

describe('own resources 1. POST /v1/schema', () => {
  it('201, the schema, its Location and the new X-Schema-Version', async () => {
    const before = versionIn(await api.get('/user'))
    const looks = { description: 'What we build.', icon: 'rocket', color: 'teal' }
    const answer = await api.post('/schema', { ...projects, ...looks })
    expect([answer.status, versionIn(answer)]).toEqual([201, before + 1])
    expect(answer.headers.get('location')).toBe(`${api.base}/schema/projects`)
    const { data } = answer.body
    expect([data.id, data.type]).toEqual(['projects', 'schemas'])
    expect(data.attributes).toMatchObject({
      ...{ version: before + 1, own: true, ...projects, singular_code: 'project', ...looks },
      ...{ position: 1, archived_at: null, custom_fields: {} },
    })
    const { created_at, updated_at } = data.attributes
    expect([updated_at, answer.headers.get('etag')]).toEqual([created_at, `"${created_at}"`])
    const read = await api.get('/schema/projects')
    expect([read.status, read.body]).toEqual([200, { data }])
    expect(codesIn(await api.get('/schema'))).toEqual([...resourceNames, 'projects'])
  })

  it('attributes, relations and counts of its records, in their order', async () => {
    await madeResource(workspace, projects)
    const { attributes } = (await api.get('/schema/projects')).body.data
    expect(Object.keys(attributes).slice(0, 12)).toEqual([
      ...['version', 'own', 'name', 'singular', 'singular_code', 'description', 'icon', 'color', 'position'],
      ...['created_at', 'updated_at', 'archived_at'],
    ])
    const names = ['id', 'name', 'owner_id', 'creation_source', 'created_at', 'updated_at', 'external_ids']
    expect(Object.keys(attributes.attributes)).toEqual(names)
    expect(Object.keys(attributes.relations).toSorted()).toEqual(['creator', 'notes', 'owner', 'tasks'])
    expect(Object.keys(attributes.counts)).toEqual(['tasks_count', 'notes_count'])
    const { relations } = (await api.get('/schema/tasks')).body.data.attributes
    expect(relations.projects).toMatchObject({ type: 'projects', many: true, written_as: 'project_ids' })
  })

  it.each([
    ['Größe & Übung', 'Straße', 'grosse_ubung', 'strasse'],
    ['  Sales   Orders ', 'Sales Order', 'sales_orders', 'sales_order'],
    ['Ⅻ Monkeys', 'ﬁ', 'xii_monkeys', 'fi'],
    [`A${'b'.repeat(49)}`, `${'c'.repeat(39)} d`, `a${'b'.repeat(39)}`, 'c'.repeat(39)],
  ])('codes are made from names: %s, %s', async (name, singular, code, singular_code) => {
    const { id, attributes } = await madeResource(workspace, { name, singular })
    expect([id, attributes.singular_code]).toEqual([code, singular_code])
    expect([attributes.name, attributes.singular]).toEqual([name.trim(), singular.trim()])
  })

  it('codes are taken as they are sent; name and singular may be equal', async () => {
    const codes = { code: 'sheep', singular_code: 'one_sheep' }
    const { id, attributes } = await madeResource(workspace, { name: 'Sheep', singular: 'Sheep', ...codes })
    expect([id, attributes.singular_code]).toEqual(['sheep', 'one_sheep'])
  })

  const madeFrom = (path: string) => ` It was made from the ${path === 'code' ? 'name' : 'singular'}: send a ${path}.`
  const made40 = (path: string) => `The ${path} ${rule}`
  it.each<[string, object, Record<string, string>]>([
    ['nothing', {}, { name: 'The name is required.', singular: 'The singular is required.' }],
    [
      'empty names',
      { name: ' ', singular: '' },
      { name: 'The name must not be empty.', singular: 'The singular must not be empty.' },
    ],
    [
      'long names',
      { name: 'x'.repeat(51), singular: 'y'.repeat(51), code: 'xs', singular_code: 'ys' },
      {
        name: 'The name must not be longer than 50 characters.',
        singular: 'The singular must not be longer than 50 characters.',
      },
    ],
    [
      'names that make no code',
      { name: '!!', singular: '1st' },
      { code: made40('code') + madeFrom('code'), singular_code: made40('singular_code') + madeFrom('singular_code') },
    ],
    [
      'codes of another form',
      { name: 'Things', singular: 'Thing', code: 'Things', singular_code: 'x' },
      { code: made40('code'), singular_code: made40('singular_code') },
    ],
    [
      'codes of another type',
      { name: 'Things', singular: 'Thing', code: 7, singular_code: 'a'.repeat(41) },
      { code: made40('code'), singular_code: made40('singular_code') },
    ],
    [
      'one code for both',
      { name: 'Sheep', singular: 'Sheep' },
      { singular_code: 'The singular_code must differ from the code sheep.' },
    ],
    [
      'codes that differ only by underscores',
      { name: 'Things', singular: 'Thing', code: 'sales_orders', singular_code: 'salesorders', icon: null },
      {},
    ],
    [
      'an unknown key',
      { ...projects, nme: 1 },
      {
        nme: 'The nme key is not known here. Accepted: name, singular, code, singular_code, description, icon, color. Did you mean name?',
      },
    ],
    [
      'names of built-in resources',
      { name: 'companies', singular: 'PERSON', code: 'firms', singular_code: 'firm' },
      {
        name: 'The name companies is taken by the resource companies. Choose another one.',
        singular: 'The singular PERSON is taken by the resource people. Choose another one.',
      },
    ],
  ])('422: %s', async (_name, input, expected) => {
    const answer = await api.post('/schema', input)
    if (Object.keys(expected).length === 0) return expect(answer.status, answer.text).toBe(201)
    const errors = Object.fromEntries(Object.entries(expected).map(([path, message]) => [path, [message]]))
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
    expect(codesIn(await api.get('/schema?archived=true'))).toEqual(resourceNames)
  })

  it('422 lists the icons and colors', async () => {
    const problems = await problemsOf(api.post('/schema', { ...projects, icon: 'nothing', color: 'nothing' }))
    expect(Object.keys(problems).toSorted()).toEqual(['color', 'icon'])
    expect(problems.icon?.[0]).toContain('archive, award, banknote')
    expect(problems.color?.[0]).toContain('teal')
  })

  it('names and codes of other resources are taken, in any case, of archived ones, too', async () => {
    await madeResource(workspace, { name: 'Sales orders', singular: 'Sales order' })
    await api.delete('/schema/sales_orders')
    const taken = (what: string) => [`The ${what} is taken by the resource sales_orders. Choose another one.`]
    const input = { name: 'SALES ORDER', singular: 'sales orders', code: 'one', singular_code: 'two' }
    expect(await problemsOf(api.post('/schema', input))).toEqual({
      name: taken('name SALES ORDER'),
      singular: taken('singular sales orders'),
    })
    const codes = { code: 'sales_order', singular_code: 'sales_orders' }
    expect(await problemsOf(api.post('/schema', { ...projects, ...codes }))).toEqual({
      code: ['The code sales_order is taken by the resource sales_orders.'],
      singular_code: ['The singular_code sales_orders is taken by the resource sales_orders.'],
    })
    // What is compared is the name in filters and includes.
    await madeResource(workspace, { name: 'A', singular: 'B', code: 'a_1b', singular_code: 'other' })
    const like = await api.post('/schema', { name: 'C', singular: 'D', code: 'a1b', singular_code: 'different' })
    expect(like.body.errors).toEqual({ code: ['The code a1b is taken by the resource a_1b.'] })
  })

  const reserved = [
    ...['order', 'assignee', 'external', 'batch', 'changes', 'custom_fields', 'jobs', 'merges', 'schema', 'search'],
    ...['token', 'trash', 'user', 'users', 'webhooks', 'activities', 'attachments', 'automations', 'calendars'],
    ...['calls', 'comments', 'contacts', 'deals', 'emails', 'events', 'fields', 'files', 'forms', 'imports', 'leads'],
    ...['lists', 'mails', 'meetings', 'members', 'messages', 'notifications', 'objects', 'records', 'relations'],
    ...['reports', 'roles', 'schemas', 'sequences', 'teams', 'templates', 'triggers', 'views', 'workflows'],
    ...[
      'workspaces',
      'a_id',
      'a_ids',
      'a_count',
      'ab_',
      'a__b',
      'name',
      'title',
      'creator',
      'assignees',
      'account_owner',
    ],
    ...['created_at', 'id', 'external_ids', 'tasks_count', 'assigned_to_me', 'contact', 'creation_source'],
  ]

  it('reserved words are 422 as a code and as a singular code', async () => {
    for (const word of reserved) {
      const asCode = await api.post('/schema', { ...projects, code: word })
      expect([asCode.status, asCode.body.errors], word).toEqual([422, { code: [`The code ${word} is reserved.`] }])
      const asSingular = await api.post('/schema', { ...projects, singular_code: word })
      const message = `The singular_code ${word} is reserved.`
      expect([asSingular.status, asSingular.body.errors], word).toEqual([422, { singular_code: [message] }])
    }
    for (const word of ['companies', 'company', 'people', 'person', 'opportunity', 'tasks', 'note']) {
      const { errors } = (await api.post('/schema', { ...projects, code: word })).body
      expect(errors.code[0], word).toMatch(/^The code \w+ is (taken by the resource \w+|reserved)\.$/)
    }
  })

  it('every first segment of a path of this version is reserved', async () => {
    const { openApiDocument } = await import('../../../src/http/openapi/document.ts')
    const segments = new Set(Object.keys(openApiDocument().paths).map((path) => path.split('/')[2] ?? ''))
    for (const code of segments) {
      if (!/^[a-z_]+$/.test(code)) continue
      const answer = await api.post('/schema', { ...projects, code })
      expect([answer.status, Object.keys(answer.body.errors)], code).toEqual([422, ['code']])
    }
  })

  it('at most 50, archived ones included', async () => {
    for (let n = 1; n <= OWN_RESOURCES_MAX; n++) await madeResource(workspace, { name: `R${n}s`, singular: `R${n}` })
    await api.delete('/schema/r1s')
    const message = 'A workspace has at most 50 resources of its own, archived ones included.'
    expect(await problemsOf(api.post('/schema', projects))).toEqual({ name: [message] })
    await api.delete('/schema/r1s?permanently=true')
    expect((await api.post('/schema', projects)).status).toBe(201)
  })

  it('an Idempotency-Key takes effect once; of two at once with one code, one is refused', async () => {
    const send = () => api.post('/schema', projects, keyed('resource 1'))
    await expectOneEffect([send(), send()])
    const others = ['Cars', 'Autos'].map((name) =>
      api.post('/schema', { name, singular: `${name} 1`, code: 'cars', singular_code: `one_${name.toLowerCase()}` }),
    )
    expect((await Promise.all(others)).map(({ status }) => status).toSorted()).toEqual([201, 422])
  })
})

describe('own resources 1. PUT, PATCH /v1/schema/{resource}', () => {
  it('changes the names and looks; the messages use the new singular', async () => {
    await madeResource(workspace, { ...projects, description: 'Old', icon: 'flag', color: 'red' })
    const { version } = (await api.get('/schema/projects')).body.data.attributes
    const changes = { name: 'VIP lists', singular: 'VIP list', description: ' ', icon: null, color: 'blue' }
    const answer = await api.patch('/schema/projects', changes)
    expect([answer.status, versionIn(answer)]).toEqual([200, version + 1])
    expect(answer.body.data.attributes).toMatchObject({ ...changes, description: null, singular_code: 'project' })
    expect(answer.headers.get('etag')).toBe(`"${answer.body.data.attributes.updated_at}"`)
    expect((await api.get('/schema/projects')).body).toEqual(answer.body)
    const id = '01kacm7krp9mcrqeke4h6bxpg9'
    const missing = async () => (await api.get(`/projects/${id}`)).body.message
    expect(await missing()).toBe(`No VIP list with the ID ${id} exists in this workspace.`)
    await api.patch('/schema/projects', { singular: 'Undertaking' })
    expect(await missing()).toBe(`No undertaking with the ID ${id} exists in this workspace.`)
  })

  it('sent back as it was read, it changes nothing; another code is 422', async () => {
    await madeResource(workspace, projects)
    const { body, headers } = await api.get('/schema/projects')
    const again = await api.put('/schema/projects', { ...body.data.attributes, code: 'projects' })
    expect([again.status, again.body, versionIn(again)]).toEqual([200, body, Number(headers.get('x-schema-version'))])
    expect(await problemsOf(api.put('/schema/projects', { code: 'cars', singular_code: 'car', nme: 1 }))).toEqual({
      nme: [expect.stringContaining('Did you mean name?')],
      code: ['The code of a resource never changes; it is projects.'],
      singular_code: ['The singular_code of a resource never changes; it is project.'],
    })
    expect(await problemsOf(api.patch('/schema/projects?x=1', { name: null, singular: '' }))).toEqual({
      x: [expect.any(String)],
      name: [expect.any(String)],
      singular: ['The singular must not be empty.'],
    })
  })

  it('If-Match works by updated_at', async () => {
    const { attributes } = await madeResource(workspace, projects)
    const { updated_at } = attributes
    const when = (tag: string) => ({ headers: { 'If-Match': tag } })
    const stale = when('"2020-01-01T00:00:00.000Z"')
    for (const refused of [
      await api.put('/schema/projects', { name: '' }, stale),
      await api.patch('/schema/projects', { name: 'x' }, stale),
      await api.put('/schema/projects/restore', undefined, stale),
      await api.delete('/schema/projects', stale),
      await api.delete('/schema/projects?permanently=true', stale),
    ]) {
      expect([refused.status, refused.body.updated_at]).toEqual([412, updated_at])
      expect(refused.body.message).toContain(`was last changed at ${updated_at}`)
      expect(refused.headers.get('etag')).toBe(`"${updated_at}"`)
    }
    expect((await api.patch('/schema/projects', { name: 'One' }, when(`"${updated_at}"`))).status).toBe(200)
    expect((await api.patch('/schema/projects', { name: 'Two' }, when(`"${updated_at}"`))).status).toBe(412)
    expect((await api.delete('/schema/projects', when('*'))).status).toBe(204)
  })

  it('a built-in resource can be renamed, too: paths, codes and API messages stay', async () => {
    const deals = { name: 'Deals', singular: 'Deal', icon: 'handshake' }
    const answer = await api.put('/schema/opportunities', deals)
    expect([answer.status, answer.body.data.id]).toEqual([200, 'opportunities'])
    expect(answer.body.data.attributes).toMatchObject({
      ...deals,
      own: false,
      singular_code: 'opportunity',
      position: 0,
    })
    expect((await api.get('/schema')).body.data.map(({ id }: { id: string }) => id)).toEqual(resourceNames)
    const id = '01kacm7krp9mcrqeke4h6bxpg9'
    const { message } = (await api.get(`/opportunities/${id}`)).body
    expect(message).toBe(`No opportunity with the ID ${id} exists in this workspace.`)
    expect((await made(api, 'opportunities')).type).toBe('opportunities')
    const taken = await problemsOf(api.post('/schema', { name: 'Opportunities', singular: 'Deal', code: 'chances' }))
    expect(Object.keys(taken).toSorted()).toEqual(['name', 'singular'])
    const back = await api.put('/schema/opportunities', { name: 'Opportunities', singular: 'Opportunity' })
    expect(back.body.data.attributes).toMatchObject({ name: 'Opportunities', singular: 'Opportunity' })
  })
})

describe('own resources 1. PUT /v1/schema/order', () => {
  it('takes all own codes; archived ones keep their place; what moved has a new time', async () => {
    for (const one of ['A', 'B', 'C', 'D']) await madeResource(workspace, { name: `${one}s`, singular: `One ${one}` })
    await api.delete('/schema/bs')
    const before = (await api.get('/schema/as')).body.data.attributes
    const answer = await api.put('/schema/order', { codes: ['ds', 'cs', 'as'] })
    expect([answer.status, codesIn(answer), versionIn(answer)]).toEqual([200, ['ds', 'cs', 'as'], before.version + 1])
    expect(codesIn(await api.get('/schema'))).toEqual([...resourceNames, 'ds', 'cs', 'as'])
    const places = answer.body.data.map(({ attributes }: { attributes: { position: number } }) => attributes.position)
    expect(places).toEqual([...places].toSorted((one, other) => one - other))
    expect(answer.body.data[2].attributes.updated_at > before.updated_at).toBe(true)
    const again = await api.put('/schema/order', { codes: ['ds', 'cs', 'as'] })
    expect([again.status, versionIn(again), again.body]).toEqual([200, versionIn(answer), answer.body])
    await api.put('/schema/bs/restore')
    expect(codesIn(await api.get('/schema')).toSorted()).toEqual([...resourceNames, 'as', 'bs', 'cs', 'ds'].toSorted())
  })

  it('422 for codes that are missing, unknown or named twice', async () => {
    for (const one of ['A', 'B']) await madeResource(workspace, { name: `${one}s`, singular: `One ${one}` })
    expect(await problemsOf(api.put('/schema/order', { codes: ['bs', 'bs', 'companies'] }))).toEqual({
      'codes.1': ['The code bs is named twice.'],
      'codes.2': ['No own resource has the code companies. Accepted: as, bs.'],
      codes: ['The codes must name all own resources. Missing: as.'],
    })
    expect(Object.keys(await problemsOf(api.put('/schema/order?x=1', { code: [] })))).toEqual(['x', 'code', 'codes'])
    expect((await api.get('/schema/order')).status).toBe(405)
  })
})

describe('own resources 1. Who may change them, and what is noted', () => {
  it('members and viewers read; owners and admins write; each ability is needed', async () => {
    await madeResource(workspace, projects)
    const changesOf = (one: Api) => [
      one.post('/schema', { name: 'Cars', singular: 'Car' }),
      one.patch('/schema/projects', { name: 'x' }),
      one.put('/schema/order', { codes: ['projects'] }),
      one.delete('/schema/projects'),
      one.put('/schema/projects/restore'),
      one.delete('/schema/projects?permanently=true'),
    ]
    const statuses = async (one: Api) => (await Promise.all(changesOf(one))).map(({ status }) => status)
    for (const role of ['member', 'viewer'] as const) {
      const token = await workspace.token({ user: await workspace.member(role) })
      expect(await statuses(token)).toEqual([403, 403, 403, 403, 403, 403])
      expect((await token.get('/schema/projects')).status).toBe(200)
      expect((await token.get('/projects')).status).toBe(200)
      expect((await token.post('/projects', { name: 'x' })).status).toBe(role === 'member' ? 201 : 403)
    }
    expect(await statuses(await workspace.token({ abilities: ['read'] }))).toEqual([403, 403, 403, 403, 403, 403])
    const writer = await workspace.token({ abilities: ['create', 'update', 'delete'] })
    expect((await writer.get('/schema/projects')).status).toBe(403)
    const admin = await workspace.token({ user: await workspace.member('admin') })
    expect((await admin.post('/schema', { name: 'Cars', singular: 'Car' })).status).toBe(201)
  })

  it('the audit log has every change, with what it changed', async () => {
    await madeResource(workspace, { ...projects, icon: 'flag' })
    await madeResource(workspace, { name: 'Cars', singular: 'Car' })
    await api.patch('/schema/projects', { name: 'Plans', icon: null })
    await api.put('/schema/order', { codes: ['cars', 'projects'] })
    await api.delete('/schema/projects')
    await api.put('/schema/projects/restore')
    await api.delete('/schema/projects')
    await api.delete('/schema/projects?permanently=true')
    await madeResource(workspace, { name: 'Projects', singular: 'Project' })
    const entries = (await audited(workspace, { resource: 'schemas' })).toReversed()
    expect(entries.map(({ action, record_id, record_name }) => `${action} ${record_id} ${record_name}`)).toEqual([
      ...['create projects Projects', 'create cars Cars', 'update projects Plans'],
      ...['update cars Cars', 'update projects Plans', 'archive projects Plans', 'restore projects Plans'],
      ...['archive projects Plans', 'delete projects Plans', 'create projects Projects'],
    ])
    expect(entries[2]?.changes).toMatchObject([
      { field: 'name', before: 'Projects', after: 'Plans' },
      { field: 'icon', before: 'flag', after: null },
    ])
    expect(entries[0]?.changes.map(({ field, after }) => [field, after])).toEqual([
      ...[
        ['code', 'projects'],
        ['singular_code', 'project'],
        ['name', 'Projects'],
        ['singular', 'Project'],
      ],
      ['icon', 'flag'],
    ])
  })
})
