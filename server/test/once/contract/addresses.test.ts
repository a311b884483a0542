import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const API_DOMAIN = 'api.example.com'

/** A request to a service under any Host, as the one in front of it would pass it on. */
function ask(url: string, headers: Record<string, string>, method = 'GET', body?: string): Promise<Answered> {
  return plainRequest(url, { method, headers, body })
}

/** Every address that a list answers with. */
function addressesIn({ links, meta }: Answered['body']): string[] {
  const numbered: string[] = meta.links.map((link: { url: string | null }) => link.url)
  return [...Object.values<string | null>(links), ...numbered, meta.path].filter((url) => url !== null)
}

describe('1. Addresses: by default the API is at {APP_URL}/api/v1', () => {
  it('in path mode /v1/... without /api is 404', async () => {
    const { api } = await newWorkspace()
    const { url } = inject('service')
    const headers = { Authorization: `Bearer ${api.token}` }
    for (const path of [
      '/v1',
      '/v1/companies',
      '/v1/user',
      '/v1/openapi.json',
      '/companies',
      '/api/companies',
      '/api/v2/companies',
    ]) {
      const answer = await ask(url + path, headers)
      expect(answer.status).toBe(404)
      expect(Object.keys(answer.body)).toEqual(['message'])
    }
    expect((await ask(`${url}/api/v1/companies`, headers)).status).toBe(200)
  })

  it('GET /api/openapi.json needs no token', async () => {
    const answer = await ask(`${inject('service').url}/api/openapi.json`, {})
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { version: '1.0.0' } })
  })

  it('links and meta.path use the address on which the request came in', async () => {
    const { api } = await newWorkspace()
    const headers = { Authorization: `Bearer ${api.token}`, Host: 'crm.example.org:8080' }
    for (const path of ['/companies', '/custom-fields']) {
      const { body } = await ask(`${api.base}${path}?per_page=2`, headers)
      expect(body.meta.path).toBe(`http://crm.example.org:8080/api/v1${path}`)
      for (const url of addressesIn(body)) expect(url).toMatch(/^http:\/\/crm\.example\.org:8080\/api\/v1\//)
    }
    const query = await ask(`${api.base}/companies/query`, headers, 'POST')
    expect(query.body.meta.path).toBe('http://crm.example.org:8080/api/v1/companies/query')
  })

  it('what a proxy says is not believed unless TRUST_PROXY is set', async () => {
    const { api } = await newWorkspace()
    const headers = {
      Authorization: `Bearer ${api.token}`,
      Host: 'crm.example.org',
      'X-Forwarded-Host': 'elsewhere.example.org',
      'X-Forwarded-Proto': 'https',
    }
    expect((await ask(`${api.base}/companies`, headers)).body.meta.path).toBe('http://crm.example.org/api/v1/companies')
  })
})

describe('1. Addresses: own domain, https://{API_DOMAIN}/v1/..., answered for that Host only', () => {
  let own: OwnService
  let workspace: TestWorkspace
  let auth: Record<string, string>

  beforeAll(async () => {
    own = await ownService({ API_DOMAIN, APP_URL: 'https://crm.example.com', TRUST_PROXY: 'true' })
    workspace = await own.workspace()
    auth = { Authorization: `Bearer ${workspace.api.token}` }
  })

  afterAll(() => own.stop())

  const onDomain = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: string) =>
    ask(own.url + path, { ...auth, Host: API_DOMAIN, ...headers }, method, body)

  it('every kind of request works below /v1', async () => {
    const json = { 'Content-Type': 'application/json' }
    const made = await onDomain('/v1/companies', json, 'POST', '{"name": "Acme"}')
    expect(made.status).toBe(201)
    const one = `/v1/companies/${made.body.data.id}`
    expect((await onDomain(one)).body).toEqual(made.body)
    expect((await onDomain(one, json, 'PUT', '{"name": "Acme Ltd"}')).body.data.attributes.name).toBe('Acme Ltd')
    expect(
      (await onDomain('/v1/companies/query', json, 'POST', '{"filter": {"name": {"$eq": "Acme Ltd"}}}')).body.meta
        .total,
    ).toBe(1)
    expect((await onDomain(one, {}, 'DELETE')).status).toBe(204)
    expect((await onDomain('/v1/user')).body.data.id).toBe(workspace.owner.id)
    expect((await onDomain('/v1/companies', {}, 'PUT')).status).toBe(405)
    expect((await ask(`${own.url}/v1/companies`, { Host: API_DOMAIN })).status).toBe(401)
  })

  it.each(['API.Example.COM', 'api.example.com:8443'])(
    'the Host in any letter case and on any port: %s',
    async (Host) => {
      const answer = await onDomain('/v1/companies', { Host })
      expect(answer.status).toBe(200)
      expect(answer.body.meta.path).toBe(`http://${Host}/v1/companies`)
    },
  )

  it('GET / answers {name, version: "1.0.0", docs}', async () => {
    const answer = await ask(own.url, { Host: API_DOMAIN })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ name: 'Kith', version: '1.0.0', docs: 'https://crm.example.com/docs' })
    expect(answer.headers.get('x-request-id')).toMatch(/./)
  })

  it('GET /v1/openapi.json needs no token', async () => {
    const answer = await ask(`${own.url}/v1/openapi.json`, { Host: API_DOMAIN })
    expect([answer.status, answer.body.info.version]).toEqual([200, '1.0.0'])
    expect((await ask(`${own.url}/api/openapi.json`, { Host: API_DOMAIN })).status).toBe(404)
  })

  it.each(['/api/v1/companies', '/companies', '/v1', '/v1x/companies', '/nothing', '/api'])(
    '%s is 404 there',
    async (path) => {
      const answer = await onDomain(path)
      expect(answer.status).toBe(404)
      expect(answer.body.message).toContain(path)
    },
  )

  it.each(['/api/v1/companies', '/v1/companies', '/api/v1/user', '/api/v1'])(
    '%s is 404 on every other Host',
    async (path) => {
      for (const Host of ['crm.example.com', 'example.com', 'xapi.example.com', `${API_DOMAIN}.evil.example`]) {
        expect((await onDomain(path, { Host })).status).toBe(404)
      }
    },
  )

  it('links and meta.path use that address', async () => {
    const { body } = await onDomain('/v1/custom-fields?per_page=2', { 'X-Forwarded-Proto': 'https' })
    expect(body.meta.path).toBe('https://api.example.com/v1/custom-fields')
    for (const url of addressesIn(body)) expect(url).toMatch(/^https:\/\/api\.example\.com\/v1\/custom-fields/)
    expect(body.links.next).toBe('https://api.example.com/v1/custom-fields?per_page=2&page=2')
  })

  it('behind a proxy the forwarded Host says which of the two it is', async () => {
    const inner = { ...auth, Host: 'internal:3000' }
    const forwarded = { ...inner, 'X-Forwarded-Host': API_DOMAIN, 'X-Forwarded-Proto': 'https' }
    const answer = await ask(`${own.url}/v1/companies`, forwarded)
    expect(answer.status).toBe(200)
    expect(answer.body.meta.path).toBe('https://api.example.com/v1/companies')
    const other = { ...inner, Host: API_DOMAIN, 'X-Forwarded-Host': 'crm.example.com' }
    expect((await ask(`${own.url}/v1/companies`, other)).status).toBe(404)
  })
})

describe('1. Addresses: behind a proxy, TRUST_PROXY', () => {
  it.each(['1', '10.0.0.0/8, loopback'])('TRUST_PROXY=%s believes the proxy in front of it', async (TRUST_PROXY) => {
    const own = await ownService({ TRUST_PROXY })
    const { api } = await own.workspace()
    const headers = {
      Authorization: `Bearer ${api.token}`,
      'X-Forwarded-Host': 'crm.example.com',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-For': '203.0.113.9',
    }
    const { body } = await ask(`${api.base}/custom-fields?per_page=2`, headers)
    for (const url of addressesIn(body)) expect(url).toMatch(/^https:\/\/crm\.example\.com\/api\/v1\/custom-fields/)
    await own.stop()
  })

  it.each(['10.0.0.0/8'])('TRUST_PROXY=%s does not', async (TRUST_PROXY) => {
    const own = await ownService({ TRUST_PROXY })
    const { api } = await own.workspace()
    const headers = {
      Authorization: `Bearer ${api.token}`,
      Host: 'crm.example.com',
      'X-Forwarded-Host': 'elsewhere.example.com',
      'X-Forwarded-Proto': 'https',
    }
    const { body } = await ask(`${api.base}/companies`, headers)
    expect(body.meta.path).toBe('http://crm.example.com/api/v1/companies')
    await own.stop()
  })
})
