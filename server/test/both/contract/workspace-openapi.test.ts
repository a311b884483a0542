import { fieldTypes } from '@kith/contract/field-types'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { problemsIn } from '../../../../scripts/write-openapi.ts'
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts'
import { version } from '../../../src/version.ts'
import { answerCheck } from '../../answer-check.ts'
import { type Api, apiAt } from '../../api.ts'
import { samples, valueTypeNames } from '../../field-samples.ts'
import { schemasOf } from '../../openapi-schemas.ts'
import { madeResource } from '../../own-resource.ts'
import { plainRequest } from '../../plain-http.ts'
import { isLong } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const { url } = inject('service')
const ADDRESSES = ['/api/openapi.json', '/api/v1/openapi.json']

const projects = { name: 'Projects', singular: 'Project' }

function ask(token?: string, { path = ADDRESSES[0], method = 'GET', headers = {} } = {}) {
  const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return plainRequest(url + path, { method, headers: { ...authorization, ...headers } })
}

async function documentOf({ token }: Api): Promise<OpenApiDocument> {
  const answer = await ask(token)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

describe('GET /api/openapi.json and GET {base}/v1/openapi.json with a token', () => {
  let workspace: TestWorkspace
  let api: Api

  beforeAll(async () => {
    workspace = await newWorkspace()
    api = workspace.api
    await madeResource(workspace, projects)
    await api.post('/schema/projects/fields', { name: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
  })

  it.each(ADDRESSES)('%s is the document of that workspace', async (path) => {
    const { body } = await ask(api.token, { path })
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: `${url}/api` }] })
    expect(body.paths).toHaveProperty('/v1/projects/{id}')
    const { tier } = body.components.schemas.OwnProjectCustomFields.properties
    expect(tier.anyOf[0].properties.label.enum).toEqual(['Gold', 'Silver'])
  })

  it.each(ADDRESSES)('%s without a token is the general document', async (path) => {
    const { status, headers, body } = await ask(undefined, { path })
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-cache'])
    expect(headers.get('Vary')).toContain('Authorization')
    expect(headers.get('X-Schema-Version')).toBeNull()
    expect(body.paths).not.toHaveProperty('/v1/projects')
    expect(body.components.schemas).toHaveProperty('OwnRecord')
  })

  it.each(['kith_wrong', ''])('a bad token is 401: "%s"', async (token) => {
    for (const path of ADDRESSES) {
      const { status, body } = await ask(token, { path })
      expect([status, body]).toEqual([401, { message: 'Unauthenticated.' }])
    }
  })

  it('a token needs the ability to read, a parameter is 422, and each request counts as a read', async () => {
    const writer = await workspace.token({ abilities: ['create'] })
    expect((await ask(writer.token)).status).toBe(403)
    const odd = await ask(api.token, { path: '/api/openapi.json?pretty=1' })
    expect([odd.status, Object.keys(odd.body.errors)]).toEqual([422, ['pretty']])
    const { headers } = await ask(api.token)
    const left = Number(headers.get('X-RateLimit-Remaining'))
    const again = await ask(api.token)
    expect(Number(again.headers.get('X-RateLimit-Remaining'))).toBeLessThan(left)
  })

  it('ETag is the release and the schema version, Cache-Control is private, and it varies by Authorization', async () => {
    const { headers } = await ask(api.token)
    const schemaVersion = headers.get('X-Schema-Version')
    expect(headers.get('ETag')).toBe(`"${version}-${schemaVersion}"`)
    expect(headers.get('Cache-Control')).toBe('private')
    expect(headers.get('Vary')?.split(', ')).toContain('Authorization')
    expect((await api.get('/schema')).headers.get('X-Schema-Version')).toBe(schemaVersion)
  })

  it('If-None-Match is 304 until the schema changes', async () => {
    const tag = (await ask(api.token)).headers.get('ETag') ?? ''
    const same = await ask(api.token, { headers: { 'If-None-Match': `"other", ${tag}` } })
    expect([same.status, same.text, same.headers.get('ETag')]).toEqual([304, '', tag])
    expect(same.headers.get('Cache-Control')).toBe('private')
    await api.post('/schema/projects/fields', { name: 'Budget', type: 'number' })
    const changed = await ask(api.token, { headers: { 'If-None-Match': tag } })
    expect([changed.status, changed.headers.get('ETag') === tag]).toEqual([200, false])
    expect(changed.body.components.schemas.OwnProjectCustomFields.properties).toHaveProperty('budget')
    await api.delete('/schema/projects/fields/budget')
    const { body } = await ask(api.token)
    expect(body.components.schemas.OwnProjectCustomFields.properties).not.toHaveProperty('budget')
  })

  it('HEAD answers as GET does, without the body', async () => {
    const got = await ask(api.token)
    const head = await ask(api.token, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['ETag', 'X-Schema-Version', 'Cache-Control']) {
      expect(head.headers.get(name)).toBe(got.headers.get(name))
    }
    expect((await ask(api.token, { method: 'DELETE' })).status).toBe(405)
  })

  it('its server is the address of the request', async () => {
    const { body } = await ask(api.token, { headers: { Host: 'crm.example.org:8080' } })
    expect(body.servers[0].url).toBe('http://crm.example.org:8080/api')
    expect((await documentOf(api)).servers[0]?.url).toBe(`${url}/api`)
  })

  it('of a workspace that has made nothing has its fields, and nothing of another workspace', async () => {
    await api.post('/schema/projects/fields', { name: 'Kryptonite', type: 'text' })
    const other = await newWorkspace()
    const text = JSON.stringify(await documentOf(other.api))
    const found = ['/v1/projects', 'OwnProject', 'Kryptonite', 'kryptonite', '"Closed Won"'].filter((word) =>
      text.includes(word),
    )
    expect(found).toEqual(['"Closed Won"'])
  })

  it('renamed and archived resources: paths and components stay, what is archived is not in it', async () => {
    const { api } = await newWorkspace()
    await madeResource({ api }, projects)
    await api.post('/schema/companies/fields', { name: 'Project', type: 'record', target: 'projects' })
    await api.put('/schema/companies', { name: 'Accounts', singular: 'Account' })
    await api.put('/schema/people', { name: 'Contacts', singular: 'Contact' })
    const { components, paths } = await documentOf(api)
    expect(paths).toHaveProperty('/v1/companies')
    expect(components.schemas).toHaveProperty('CompanyAttributes')
    await api.post('/schema/people/fields', { name: 'Company', type: 'record', target: 'companies' })
    await api.delete('/schema/companies/fields/project')
    await api.delete('/schema/projects')
    const later = await documentOf(api)
    expect(JSON.stringify(later)).not.toMatch(/OwnProject|v1.projects/)
    const references = new Set(JSON.stringify(later).match(/(?<="\$ref":")[^"]+/g))
    const { componentAt } = schemasOf(later)
    expect([...references].filter((reference) => componentAt(reference) === undefined)).toEqual([])
    expect(references.size).toBeGreaterThan(100)
  })
})

describe('the answers of a workspace are as its document says', () => {
  let workspace: TestWorkspace
  let document: OpenApiDocument
  /** Each answer is checked by the document of the workspace. */
  let api: Api
  let problemsOf: (name: string, value: unknown) => string[]
  let company: string
  let owner: { id: string; type: string }
  const values = Object.fromEntries(valueTypeNames.map((type) => [codeOf(type), samples[type].one]))
  const made: string[] = []

  beforeAll(async () => {
    workspace = await newWorkspace()
    owner = { id: workspace.owner.id, type: 'users' }
    const settings = workspace.api
    await madeResource(workspace, { name: 'Ventures', singular: 'Venture', code: 'ventures' })
    await settings.put('/schema/people', { name: 'Contacts', singular: 'Contact' })
    for (const resource of ['ventures', 'companies', 'tasks']) {
      const define = async (field: object) => {
        const answer = await settings.post(`/schema/${resource}/fields`, field)
        expect(answer.status, answer.text).toBe(201)
      }
      for (const type of valueTypeNames) await define({ name: codeOf(type), type, ...samples[type].rest })
      await define({
        name: 'Key',
        type: 'text',
        unique: true,
        required: resource === 'ventures',
        settings: { max_length: 9 },
      })
      await define({ name: 'Boss', type: 'member' })
      await define({ name: 'Team', type: 'member', multiple: true, max_values: 3 })
      await define({
        name: 'Venture',
        type: 'record',
        target: 'ventures',
        inverse: { name: resource, code: `all_${resource}` },
      })
      await define({ name: 'Clients', type: 'record', target: 'companies', multiple: true, max_values: 2 })
      if (resource !== 'tasks') await define({ name: 'Empty', type: 'select', options: [] })
    }
    document = await documentOf(settings)
    const schemas = schemasOf(document)
    problemsOf = (name, value) => schemas.problemsOf({ $ref: `#/components/schemas/${name}` }, value)
    api = apiAt(url, settings.token, answerCheck(document))
  })

  // The document of a workspace with more is checked without a service, in document.test.ts.
  it.runIf(isLong)('validates', async () => {
    expect(await problemsIn({ ...document, servers: [{ url: 'https://crm.acme.com/api' }] })).toEqual([])
  })

  /** Sends what the document accepts, and gives the answer. */
  async function send(method: 'post' | 'put', path: string, [name, body]: readonly [schema: string, body: object]) {
    expect(problemsOf(name, body), JSON.stringify(body)).toEqual([])
    const answer = await api[method](path, body)
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }

  it('creates: values of every type, as the document writes them, and reads them', async () => {
    const made_company = await send('post', '/companies', ['CompanyCreate', { name: 'Acme', custom_fields: values }])
    company = made_company.data.id
    const clients = [{ id: company, type: 'companies' }]
    const custom_fields = { ...values, key: 'one', boss: { email: workspace.owner.email }, team: [owner], clients }
    for (const key of ['one', 'two']) {
      const body = { name: key, owner_id: owner.id, custom_fields: { ...custom_fields, key } }
      const { data } = await send('post', '/ventures?include=owner,tasksCount,externalIds', ['OwnVentureCreate', body])
      expect(data.attributes.custom_fields).toMatchObject({ key, boss: owner, team: [owner], clients, empty: null })
      made.push(data.id)
    }
    const [one] = made
    const body = { title: 'Call', venture_ids: [one], custom_fields: { venture: one, boss: owner.id } }
    await send('post', '/tasks', ['TaskCreate', body])
    const read = await api.get(`/ventures/${one}`)
    // What was read can be sent back.
    await send('put', `/ventures/${one}`, ['OwnVentureUpdate', read.body.data.attributes])
    const edit = {
      custom_fields: { tags_input: { $add: ['new'] }, venture: { id: made[1], type: 'ventures' }, team: [] },
    }
    await send('put', `/ventures/${one}`, ['OwnVentureUpdate', edit])
  })

  it('upserts match unique fields and external ids only', async () => {
    const body = { match: { field: 'key', value: 'one' }, name: 'One' }
    await send('post', '/ventures/upsert', ['OwnVentureUpsert', body])
    const external = { match: { field: 'external_ids.erp', value: '7' }, name: 'Seven', custom_fields: { key: '7' } }
    made.push((await send('post', '/ventures/upsert', ['OwnVentureUpsert', external])).data.id)
    for (const field of ['text', 'nonsense', 'boss']) {
      expect(problemsOf('OwnVentureUpsert', { ...body, match: { field, value: 'x' } })).not.toEqual([])
      expect((await api.post('/ventures/upsert', { ...body, match: { field, value: 'x' } })).status).toBe(422)
    }
  })

  it('lists, queries and summarizes, with everything included, under the filters of each type of field', async () => {
    for (const [type, one] of [
      ['ventures', 'OwnVenture'],
      ['companies', 'Company'],
      ['tasks', 'Task'],
      ['people', 'Person'],
    ] as const) {
      const parameter =
        document.components.parameters?.[`${one === 'OwnVenture' ? 'OwnVentures' : capital(type)}Include`]
      // A list of names.
      const include = (Object(parameter?.schema).items as { enum: string[] }).enum
      for (const name of include) expect((await api.get(`/${type}?include=${name}`)).status, name).toBe(200)
      const { body } = await api.get(`/${type}?include=${include.join()}`)
      expect(body.errors).toBeUndefined()
    }
    const filters = Object.values(fieldTypes).map(({ name, refersTo, example }) => {
      const { filter } = example({ options: [{ id: '', label: 'A', color: null }] })
      return refersTo ? { boss: { $in: ['me'] } } : { [codeOf(name)]: filter }
    })
    const nested = {
      venture: { custom_fields: { clients: { name: { $contains: 'acme' } } } },
      clients: { $in: [company] },
    }
    const inverses = { allTasks: { title: { $contains: 'call' } }, allVentures: { $is_empty: false } }
    for (const filter of [...[...filters, nested].map((custom_fields) => ({ custom_fields })), inverses]) {
      await send('post', '/ventures/query', ['OwnVentureQuery', { filter, sort: '-custom_fields.number' }])
    }
    const summary = { filter: { custom_fields: nested }, group_by: ['custom_fields.boss'] }
    await send('post', '/ventures/summary', ['OwnVentureSummaryQuery', summary])
    expect(problemsOf('OwnVentureQuery', { filter: { custom_fields: { number: { $contains: '1' } } } })).not.toEqual([])
    expect(problemsOf('OwnVentureQuery', { filter: { custom_fields: { nonsense: { $eq: 1 } } } })).not.toEqual([])
  })

  it('and everything else below an own resource', async () => {
    const [one, two] = made
    const answers = [
      await api.get('/ventures?cursor=true&per_page=1'),
      await api.get(
        '/ventures?fields[ventures]=name,custom_fields.key&fields[companies]=name&include=custom_fields.clients',
      ),
      await api.get(`/ventures/${one}/history`),
      await api.get(`/ventures/${one}/files`),
      await api.get('/ventures/duplicates'),
      await api.get('/ventures/changes?cursor=start'),
      await api.post('/ventures/batch', { operations: [{ op: 'update', id: one, data: { name: 'Two' } }] }),
      await api.put(`/ventures/${one}/merge`, { loser_ids: [two] }),
      await api.put(`/ventures/${two}/restore`),
      await api.delete(`/ventures/${two}`),
      await api.get('/trash?resource=ventures'),
      await api.get('/search?q=seven&resource=ventures'),
      await api.get('/changes?cursor=start&resource=ventures,schemas'),
      await api.get('/schema/ventures'),
    ]
    expect(answers.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([])
    const refused = [
      await api.get(`/ventures/${company}`),
      await api.post('/ventures', {}),
      await api.get('/ventures?include=x'),
    ]
    expect(refused.map(({ status }) => status)).toEqual([404, 422, 422])
  })

  it('refuses by its schemas what the service refuses', async () => {
    const tooMany = [company, company.replace(/.$/, '0'), company.replace(/.$/, '1')]
    const wrong: Record<string, unknown>[] = [
      { nonsense: 1 },
      { select: 'Nonsense' },
      { empty: 'A' },
      { number: 'x y'.split(' ') },
      { checkbox: 'perhaps' },
      { key: 'too long, far' },
      { boss: [owner, owner.id, workspace.id] },
      { clients: tooMany },
      { venture: { id: company, type: 'companies' } },
    ]
    for (const custom_fields of wrong) {
      expect(problemsOf('OwnVentureUpdate', { custom_fields }), JSON.stringify(custom_fields)).not.toEqual([])
      expect((await api.put(`/ventures/${made[0]}`, { custom_fields })).status, JSON.stringify(custom_fields)).toBe(422)
    }
    expect(problemsOf('OwnVentureCreate', { name: 'x' })).not.toEqual([])
    expect((await api.post('/ventures', { name: 'x' })).status).toBe(422)
  })
})

function codeOf(type: string): string {
  return type.replaceAll('-', '_')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
