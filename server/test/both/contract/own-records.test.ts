import { beforeEach, describe, expect, it } from 'vitest'
import { type Answered, type Api, apiAt } from '../../api.ts'
import { readExport } from '../../exported.ts'
import { madeResource } from '../../own-resource.ts'
import { made, NOWHERE, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now, page, told } from '../changes/feed.ts'

let workspace: TestWorkspace
let api: Api

const projects = { name: 'Projects', singular: 'Project' }

beforeEach(async () => {
  workspace = await newWorkspace()
  api = workspace.api
  await madeResource(workspace, projects)
})

const total = async (path: string) => (await api.get(path)).body.meta.total
const idsIn = ({ body }: Answered): string[] => body.data.map(({ id }: { id: string }) => id)
const archive = async (code = 'projects') => expect((await api.delete(`/schema/${code}`)).status).toBe(204)
const erase = async () => expect((await api.delete('/schema/projects?permanently=true')).status).toBe(204)

/** Every endpoint of a resource. */
function everyEndpoint(one: Api, code: string, id: string): [string, () => Promise<Answered>][] {
  const list = `/${code}`
  const requests: [string, string, object?][] = [
    ...[list, `${list}/changes`, `${list}/duplicates`, `${list}/export`, `${list}/${id}`, `${list}/${id}/history`].map(
      (path): [string, string] => ['GET', path],
    ),
    ['GET', `${list}/changes/stream`],
    ['POST', list, { name: 'x' }],
    ['POST', `${list}/query`, {}],
    ['POST', `${list}/summary`, {}],
    ['POST', `${list}/upsert`, {}],
    ['POST', `${list}/batch`, {}],
    ['PUT', `${list}/${id}`, { name: 'y' }],
    ['PATCH', `${list}/${id}`, { nonsense: 1 }],
    ['PUT', `${list}/${id}/merge`, {}],
    ['PUT', `${list}/${id}/restore`],
    ['DELETE', `${list}/${id}`],
  ]
  return requests.map(([method, path, body]) => [
    `${method} ${path}`,
    () => one.send(method, path, body && JSON.stringify(body)),
  ])
}

describe('own resources 2. Records of own resources', () => {
  it('attributes in order; owner_id is a member, by id or e-mail address', async () => {
    const { owner } = workspace
    const record = await made(api, 'projects', { owner_id: { email: owner.email } })
    const order = ['name', 'owner_id', 'creation_source', 'created_at', 'updated_at', 'custom_fields']
    expect([record.type, Object.keys(record.attributes)]).toEqual(['projects', order])
    expect(record.attributes).toMatchObject({ name: 'One', owner_id: owner.id, creation_source: 'api' })
    const path = `/projects/${record.id}?include=creator,owner,tasksCount,notesCount,externalIds`
    const { data, included } = (await api.get(path)).body
    expect(data.attributes).toMatchObject({ tasks_count: 0, notes_count: 0, external_ids: {} })
    expect(Object.keys(data.relationships)).toEqual(['creator', 'owner'])
    expect(included.map(({ id }: { id: string }) => id)).toEqual([owner.id])
    expect(await total(`/projects?filter[owner][$in]=${owner.id}`)).toBe(1)
    expect(await total(`/projects?filter[owner][$is_empty]=true`)).toBe(0)
    expect(await problemsOf(api.patch(`/projects/${record.id}`, { owner_id: NOWHERE }))).toHaveProperty('owner_id')
    expect((await api.patch(`/projects/${record.id}`, { owner_id: null })).body.data.attributes.owner_id).toBe(null)
    expect(await problemsOf(api.post('/projects', {}))).toEqual({ name: ['The name field is required.'] })
  })

  it('messages use the singular; other methods are 405', async () => {
    const { message } = (await api.get(`/projects/${NOWHERE}`)).body
    expect(message).toBe(`No project with the ID ${NOWHERE} exists in this workspace.`)
    const other = await api.patch('/projects', {})
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await api.send('POST', `/projects/${NOWHERE}`)).headers.get('allow')).toBe('GET, HEAD, PUT, PATCH, DELETE')
    expect((await api.get('/projects/x/y/z')).status).toBe(404)
  })

  it('tasks and notes are linked to them: written, included, counted, filtered, exported', async () => {
    await madeResource(workspace, { name: 'Sales orders', singular: 'Sales order' })
    const [project, order] = [await made(api, 'projects'), await made(api, 'sales_orders')]
    for (const type of ['tasks', 'notes']) {
      const links = { sales_order_ids: [order.id], project_ids: [project.id] }
      const { id } = await made(api, type, links)
      const names = 'projects,salesOrders,projectsCount,salesOrdersCount'
      const { data, included } = (await api.get(`/${type}/${id}?include=${names}`)).body
      expect(data.attributes).toMatchObject({ projects_count: 1, sales_orders_count: 1 })
      expect(data.relationships).toEqual({
        projects: { data: [{ id: project.id, type: 'projects' }] },
        salesOrders: { data: [{ id: order.id, type: 'sales_orders' }] },
      })
      expect(included.map((one: { id: string }) => one.id).toSorted()).toEqual([project.id, order.id].toSorted())
      for (const filter of [
        `[salesOrders][$in]=${order.id}`,
        '[salesOrders][name][$eq]=One',
        '[projects][$is_empty]=false',
        `[$and][0][projects][id][$in]=${project.id}`,
      ]) {
        expect(idsIn(await api.get(`/${type}?filter${filter}`)), filter).toEqual([id])
      }
      expect(await total(`/projects?filter[${type}][$in]=${id}`)).toBe(1)
      expect((await api.get(`/projects/${project.id}?include=${type}Count`)).body.data.attributes).toHaveProperty(
        `${type}_count`,
        1,
      )
      const [line] = (await readExport(api, `/${type}/export`)).records
      expect(line?.relationships).toMatchObject({
        projects: { data: [{ id: project.id }] },
        sales_orders: { data: [{ id: order.id }] },
      })
      await api.patch(`/${type}/${id}`, { project_ids: [] })
      expect(await total(`/${type}?filter[projects][$is_empty]=true`)).toBe(1)
      const wrong = { project_ids: [order.id], sales_orders_ids: [] }
      const problems = await problemsOf(api.patch(`/${type}/${id}`, wrong))
      expect(problems['project_ids.0']?.[0]).toContain('must be the ID of an existing record')
      expect(problems.sales_orders_ids?.[0]).toContain('Did you mean sales_order_ids?')
    }
  })

  it('custom fields are managed and listed as for built-in resources', async () => {
    const field = await api.post('/schema/projects/fields', { name: 'Budget', type: 'number' })
    expect([field.status, field.body.data.attributes]).toMatchObject([201, { entity_type: 'projects', code: 'budget' }])
    const { id } = await made(api, 'projects', { custom_fields: { budget: 5 } })
    expect(idsIn(await api.get('/projects?filter[custom_fields][budget][$gt]=4&sort=-budget'))).toEqual([id])
    expect((await api.get('/custom-fields?entity_type=projects')).body.data).toHaveLength(1)
    expect(Object.keys((await api.get('/schema/projects')).body.data.attributes.custom_fields)).toEqual(['budget'])
  })

  it('one search, one trash and one feed have them, too', async () => {
    const cursor = await now(workspace)
    const { id } = await made(api, 'projects', { name: 'Cathedral' })
    expect(idsIn(await api.get('/search?q=cathedral'))).toEqual([id])
    expect(idsIn(await api.get('/search?q=cathedral&resource=projects'))).toEqual([id])
    expect(idsIn(await api.get('/projects?filter[$search]=cathed'))).toEqual([id])
    await api.delete(`/projects/${id}`)
    expect(idsIn(await api.get('/trash?resource=projects'))).toEqual([id])
    expect(await total('/search?q=cathedral')).toBe(0)
    await api.put(`/projects/${id}/restore`)
    const { entries } = await follow(workspace, cursor, 'resource=projects')
    expect(entries.map(told)).toEqual(['created projects', 'deleted projects', 'restored projects'])
    expect((await follow(workspace, cursor, '', '/projects')).entries).toEqual(entries)
  })
})

describe('own resources 4. schemas in the feed', () => {
  it('a first copy has each once, in parts of any size, with the attributes of fields', async () => {
    for (const singular of ['Contract', 'Product']) await madeResource(workspace, { name: `${singular}s`, singular })
    await api.patch('/schema/opportunities', { name: 'Deals', singular: 'Deal' })
    const seen: unknown[] = []
    let cursor = 'start'
    for (let phase = 'snapshot'; phase === 'snapshot'; ) {
      const query = `resource=schemas&limit=1&fields[schemas]=name,custom_fields&cursor=${cursor}`
      const { data, meta } = await page(workspace, query)
      expect(data.length).toBeLessThanOrEqual(1)
      seen.push(...data.map(({ attributes }) => [attributes.record_id, attributes.record?.attributes]))
      cursor = meta.next_cursor
      phase = meta.phase
    }
    const named = (code: string, name: string) => [code, { name, custom_fields: expect.any(Object) }]
    expect(seen).toEqual([
      named('contracts', 'Contracts'),
      named('opportunities', 'Deals'),
      named('products', 'Products'),
      named('projects', 'Projects'),
    ])
  })

  it('a resource that is archived during a first copy is passed over, and no other one', async () => {
    for (const singular of ['Contract', 'Squad']) await madeResource(workspace, { name: `${singular}s`, singular })
    for (const code of ['contracts', 'projects', 'projects', 'squads']) await made(api, code)
    const seen: string[] = []
    let cursor = 'start'
    for (let phase = 'snapshot'; phase === 'snapshot'; ) {
      const { data, meta } = await page(workspace, `limit=1&cursor=${cursor}`)
      seen.push(...data.map(({ attributes }) => attributes.resource))
      if (meta.phase === 'snapshot' && seen.at(-1) === 'projects') await archive()
      cursor = meta.next_cursor
      phase = meta.phase
    }
    expect(seen.filter((resource) => !['schemas', 'custom_fields', 'users'].includes(resource))).toEqual([
      'contracts',
      'projects',
      'squads',
    ])
  })
})

describe('own resources 2. The order of checks', () => {
  it('without a valid token 401, whether or not any workspace has the resource', async () => {
    for (const code of ['projects', 'cars', 'never_made']) {
      for (const [name, send] of everyEndpoint(apiAt(new URL(api.base).origin, 'kith_wrong'), code, NOWHERE)) {
        const answer = await send()
        expect([answer.status, answer.body], name).toEqual([401, { message: 'Unauthenticated.' }])
      }
      const patched = await apiAt(new URL(api.base).origin, '').patch(`/${code}`, {})
      expect(patched.status).toBe(401)
    }
    expect((await apiAt(new URL(api.base).origin, '').get('/Projects')).status).toBe(404)
  })

  it('404 comes before abilities, and 403 before the body', async () => {
    const reader = await workspace.token({ abilities: ['read'] })
    expect((await reader.post('/cars', {})).status).toBe(404)
    expect((await reader.post('/projects', {})).status).toBe(403)
    await archive()
    expect((await reader.post('/projects', {})).status).toBe(404)
    const answer = await api.get('/projects')
    for (const name of ['x-ratelimit-limit', 'x-schema-version']) expect(answer.headers.get(name)).not.toBe(null)
  })

  it('in a body or a parameter an unknown code is 422 and names the nearest', async () => {
    const nearest = (problems: Record<string, string[]>) => JSON.stringify(problems)
    for (const answering of [
      api.get('/search?q=x&resource=projekts'),
      api.get('/trash?resource=projekts'),
      api.get('/changes?cursor=now&resource=projekts'),
      api.get('/custom-fields?entity_type=projekts'),
      api.post('/batch', { operations: [{ op: 'create', resource: 'projekts', data: { name: 'x' } }] }),
      api.post('/jobs', { type: 'import', format: 'csv', resource: 'projekts', mode: 'create' }),
    ]) {
      expect(nearest(await problemsOf(answering))).toContain('projects')
    }
    const { message } = (await api.get('/projekts')).body
    expect(message).toBe('No resource has the code projekts. Did you mean projects?')
  })
})

describe('own resources 2. Workspaces know nothing of each other', () => {
  it('a code of another workspace gets the same answer as an unknown code', async () => {
    const other = await newWorkspace()
    await madeResource(other, { name: 'Vessels', singular: 'Vessel' })
    const theirs = await made(other.api, 'vessels', { name: 'Secret' })
    const asked = everyEndpoint(api, 'vessels', theirs.id)
    const unknown = everyEndpoint(api, 'tessels', theirs.id)
    for (const [index, [name, send]] of asked.entries()) {
      const [ours, nobodys] = [await send(), await unknown[index]?.[1]()]
      expect([ours.status, ours.text.replaceAll('vessels', 'tessels')], name).toEqual([404, nobodys?.text])
    }
    for (const path of ['/schema/?', '/search?q=x&resource=?', '/trash?resource=?', '/changes?cursor=now&resource=?']) {
      const [ours, nobodys] = [await api.get(path.replace('?', 'vessels')), await api.get(path.replace('?', 'tessels'))]
      expect([ours.status, ours.text.replaceAll('vessels', 'tessels')]).toEqual([nobodys.status, nobodys.text])
    }
    expect((await api.get('/search?q=secret')).body.data).toEqual([])
    expect((await api.post('/schema', { name: 'Vessels', singular: 'Vessel' })).status).toBe(201)
    expect(await total('/vessels')).toBe(0)
    expect((await api.get(`/vessels/${theirs.id}`)).status).toBe(404)
    expect((await other.api.get(`/vessels/${theirs.id}`)).body.data).toEqual(theirs)
  })
})

describe('own resources 1. DELETE /v1/schema/{resource} archives', () => {
  it('204, also again; a built-in resource is 422', async () => {
    const { version } = (await api.get('/schema/projects')).body.data.attributes
    const first = await api.delete('/schema/projects')
    expect([first.status, first.text, first.headers.get('x-schema-version')]).toEqual([204, '', String(version + 1)])
    const again = await api.delete('/schema/projects?permanently=false')
    expect([again.status, again.headers.get('x-schema-version')]).toEqual([204, String(version + 1)])
    for (const permanently of ['false', 'true']) {
      const problems = await problemsOf(api.delete(`/schema/notes?permanently=${permanently}`))
      expect(problems.resource?.[0]).toMatch(/^The resource notes is part of every workspace and cannot be /)
    }
    expect(Object.keys(await problemsOf(api.delete('/schema/projects?permanently=yes&x=1')))).toEqual([
      'x',
      'permanently',
    ])
  })

  it('every path below it is 404 and says so; its schema can be read, and lists it on request', async () => {
    const { id } = await made(api, 'projects')
    await archive()
    for (const [name, send] of everyEndpoint(api, 'projects', id)) {
      const answer = await send()
      expect([answer.status, answer.body], name).toEqual([404, { message: 'The resource projects is archived.' }])
    }
    for (const answer of [
      await api.patch('/projects', {}),
      await api.post('/schema/projects/fields', { name: 'x', type: 'text' }),
      await api.put('/schema/projects/order', { codes: [] }),
    ]) {
      expect([answer.status, answer.body.message]).toEqual([404, 'The resource projects is archived.'])
    }
    const { data } = (await api.get('/schema/projects')).body
    expect(data.attributes.archived_at).toBe(data.attributes.updated_at)
    expect((await api.get('/schema?archived=true')).body.data.at(-1)).toEqual(data)
    expect((await api.get('/schema')).body.data).toHaveLength(5)
    expect((await problemsOf(api.patch('/schema/projects', { name: 'x' }))).code?.[0]).toContain('is archived')
  })

  it('its records and names are nowhere, and come back when it is restored', async () => {
    await api.post('/schema/projects/fields', { name: 'Budget', type: 'number' })
    const project = await made(api, 'projects', { name: 'Cathedral', custom_fields: { budget: 7 } })
    const other = await made(api, 'projects', { name: 'Gone' })
    await api.delete(`/projects/${other.id}`)
    const task = await made(api, 'tasks', { title: 'Build', project_ids: [project.id] })
    const before = (await api.get(`/tasks/${task.id}?include=projects,projectsCount`)).body
    await archive()
    expect(await total('/search?q=cathedral')).toBe(0)
    expect(await total('/trash')).toBe(0)
    expect((await api.get('/custom-fields?per_page=100')).text).not.toContain('budget')
    expect((await api.get(`/tasks/${task.id}`)).body.data).toEqual(task)
    expect((await readExport(api, '/tasks/export')).text).not.toContain('projects')
    const path = `/tasks/${task.id}`
    expect(await problemsOf(api.get(`${path}?include=projects`))).toHaveProperty('include')
    expect(await problemsOf(api.get(`${path}?include=projectsCount`))).toHaveProperty('include')
    expect(await problemsOf(api.get(`/tasks?filter[projects][$in]=${project.id}`))).toHaveProperty('filter.projects')
    expect(await problemsOf(api.patch(path, { project_ids: [] }))).toHaveProperty('project_ids')
    expect(await problemsOf(api.get('/search?q=x&resource=projects'))).toHaveProperty('resource')
    expect(await problemsOf(api.get('/trash?resource=projects'))).toHaveProperty('resource')
    expect(await problemsOf(api.get('/changes?cursor=now&resource=projects'))).toHaveProperty('resource')
    const webhook = { url: 'https://example.com/hook', types: ['projects.created'] }
    expect(await problemsOf(api.post('/webhooks', webhook))).toHaveProperty(['types.0'])
    // A change of the task keeps its links.
    await api.patch(path, { title: 'Build it' })
    const restored = await api.put('/schema/projects/restore')
    expect([restored.status, restored.body.data.attributes.archived_at]).toEqual([200, null])
    expect((await api.put('/schema/projects/restore')).body).toEqual(restored.body)
    expect((await api.get(`/projects/${project.id}`)).body.data).toEqual(project)
    const after = (await api.get(`/tasks/${task.id}?include=projects,projectsCount`)).body
    expect([after.data.relationships, after.included]).toEqual([before.data.relationships, before.included])
    expect(idsIn(await api.get('/search?q=cathedral'))).toEqual([project.id])
    expect(idsIn(await api.get('/trash'))).toEqual([other.id])
    expect(idsIn(await api.get('/projects?filter[custom_fields][budget][$eq]=7'))).toEqual([project.id])
  })

  it('its entries of the feed are passed over, and readable again after a restore', async () => {
    const cursor = await now(workspace)
    await made(api, 'projects')
    await made(api, 'companies')
    const records = async () => {
      const { entries } = await follow(workspace, cursor)
      return entries.map(told).filter((one) => !one.includes('schemas'))
    }
    await archive()
    expect(await records()).toEqual(['created companies'])
    await api.put('/schema/projects/restore')
    expect(await records()).toEqual(['created projects', 'created companies'])
  })
})

describe('own resources 1. DELETE with permanently=true', () => {
  it('only of an archived resource: 422; then everything is unknown at once', async () => {
    expect(await problemsOf(api.delete('/schema/projects?permanently=true'))).toEqual({
      permanently: ['The resource projects must be archived before it can be deleted.'],
    })
    const { id } = await made(api, 'projects')
    await archive()
    await erase()
    for (const answer of [
      await api.get('/projects'),
      await api.get(`/projects/${id}`),
      await api.get('/schema/projects'),
      await api.put('/schema/projects/restore'),
      await api.delete('/schema/projects'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { message: 'No resource has the code projects.' }])
    }
    expect((await api.get('/schema?archived=true')).body.data).toHaveLength(5)
  })

  it('a new resource with the code sees nothing of the old one', async () => {
    const start = await now(workspace)
    await api.post('/schema/projects/fields', { name: 'Key', type: 'text', unique: true })
    const ids = { external_ids: { crm: ['1'] }, custom_fields: { key: 'one' } }
    const old = await made(api, 'projects', { name: 'Cathedral', ...ids })
    const loser = await made(api, 'projects', { name: 'Chapel' })
    await api.put(`/projects/${old.id}/merge`, { loser_ids: [loser.id] })
    const gone = await made(api, 'projects', { name: 'Cloister', external_ids: { crm: ['2'] } })
    await api.delete(`/projects/${gone.id}`)
    const task = await made(api, 'tasks', { project_ids: [old.id] })
    await archive()
    await erase()
    await madeResource(workspace, projects)

    expect((await api.get('/projects?include=tasksCount')).body).toMatchObject({ data: [], meta: { total: 0 } })
    expect((await api.get('/schema/projects')).body.data.attributes.custom_fields).toEqual({})
    expect((await api.get('/custom-fields?entity_type=projects')).body.data).toEqual([])
    for (const id of [old.id, loser.id, gone.id]) {
      const message = `No project with the ID ${id} exists in this workspace.`
      for (const answer of [
        await api.get(`/projects/${id}`),
        await api.get(`/projects/${id}/history`),
        await api.put(`/projects/${id}/restore`),
      ]) {
        expect([answer.status, answer.body]).toEqual([404, { message }])
      }
    }
    for (const path of ['/search?q=cathedral', '/trash', '/merges?resource=projects', '/projects/duplicates']) {
      expect((await api.get(path)).body.data, path).toEqual([])
    }
    const seen = (await api.get(`/tasks/${task.id}?include=projects,projectsCount`)).body.data
    expect([seen.relationships.projects.data, seen.attributes.projects_count]).toEqual([[], 0])
    expect(await total('/tasks?filter[projects][$is_empty]=true')).toBe(1)
    expect(await total(`/tasks?filter[projects][$in]=${old.id}`)).toBe(0)
    expect((await readExport(api, '/projects/export')).records).toEqual([])
    expect((await follow(workspace, start, 'resource=projects')).entries).toEqual([])
    expect((await follow(workspace, 'start', '', '/projects')).entries).toEqual([])

    await api.post('/schema/projects/fields', { name: 'Key', type: 'text', unique: true })
    const again = await made(api, 'projects', { name: 'Cathedral', ...ids })
    expect(again.id).not.toBe(old.id)
    const match = { field: 'external_ids.crm', value: '2' }
    expect((await api.post('/projects/upsert', { match, name: 'Cloister' })).status).toBe(201)
    expect(await total('/projects')).toBe(2)
    expect(idsIn(await api.get('/search?q=cathedral'))).toEqual([again.id])
    const { entries } = await follow(workspace, start, 'resource=projects')
    expect(entries.map(({ attributes }) => attributes.record_id)).toContain(again.id)
    expect(entries).toHaveLength(2)
    await api.patch(`/tasks/${task.id}`, { project_ids: [again.id] })
    expect((await api.get(`/tasks/${task.id}?include=projectsCount`)).body.data.attributes.projects_count).toBe(1)
  })
})
