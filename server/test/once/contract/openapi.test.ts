import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { sampleEmail, sampleIds } from '../../../src/http/openapi/sample-records.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

describe('1. Addresses: GET /api/openapi.json serves OpenAPI 3.1, info.version 1.0.0, without a token', () => {
  it('as JSON, and says which request it answered', async () => {
    const answer = await plainRequest(`${inject('service').url}/api/openapi.json`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/./)
    expect(answer.body).toMatchObject({ openapi: '3.1.0', info: { title: 'Kith API', version: '1.0.0' } })
  })

  it('with the address on which the request came in as its server, and all else as generated', async () => {
    const { url } = inject('service')
    const { body } = await plainRequest(`${url}/api/openapi.json`, { headers: { Host: 'crm.example.org:8080' } })
    expect(body.servers[0].url).toBe('http://crm.example.org:8080/api')
    expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument('http://crm.example.org:8080/api'))))
  })

  it('not a second time to a client that has it', async () => {
    const url = `${inject('service').url}/api/openapi.json`
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const again = await fetch(url, { headers: { 'If-None-Match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const other = await plainRequest(url, { headers: { 'If-None-Match': etag, Host: 'elsewhere.example.org' } })
    expect(other.status).toBe(200)
  })

  it('compressed for clients that accept it, and plain for others', async () => {
    const url = `${inject('service').url}/api/openapi.json`
    const zipped = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    const plain = await fetch(url, { headers: { 'Accept-Encoding': 'gzip;q=0' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await zipped.json()).toEqual(await plain.json())
  })
})

describe('1. Addresses: and /v1/openapi.json on the API domain', () => {
  let own: OwnService

  beforeAll(async () => {
    own = await ownService({ API_DOMAIN: 'api.example.com', APP_URL: 'https://crm.example.com', TRUST_PROXY: 'true' })
  })

  afterAll(() => own.stop())

  it.each([
    ['/v1/openapi.json', 'api.example.com'],
    ['/api/openapi.json', 'crm.example.com'],
  ])('%s on %s names the API domain as its server', async (path, Host) => {
    const headers = { Host, 'X-Forwarded-Proto': 'https' }
    const { status, body } = await plainRequest(own.url + path, { headers })
    expect([status, body.servers[0].url]).toEqual([200, 'https://api.example.com'])
    expect(body.paths).toHaveProperty('/v1/companies')
  })

  it('the reference may ask the API domain', async () => {
    const page = await fetch(`${own.url}/docs`)
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self' https://api.example.com;")
  })
})

describe('The examples of the document do what they say', () => {
  let workspace: TestWorkspace
  /** Bodies with the IDs that there are in place of the sample IDs. */
  let real: (example: string, owner?: TestWorkspace['owner']) => string
  const made: Record<string, string> = {}

  beforeAll(async () => {
    workspace = await newWorkspace()
    made.users = workspace.owner.id
    real = (example, owner = workspace.owner) => {
      let text = JSON.stringify(openApiDocument().components.examples?.[example]?.value)
      text = text.replaceAll(sampleEmail, owner.email)
      for (const [type, id] of Object.entries(sampleIds)) text = text.replaceAll(id, made[type] ?? id)
      return text
    }
    for (const { type } of Object.values(registry))
      await workspace.field(type, { name: 'External ID', type: 'text', unique: true })
  })

  it.each(Object.values(registry))('$type: create, update, upsert and query', async ({ type, one }) => {
    const name = one.charAt(0).toUpperCase() + one.slice(1)
    const linked = await workspace.api.send('POST', `/${type}`, real(`${name}CreateLinked`))
    expect([linked.status, linked.body.errors]).toEqual([201, undefined])
    made[type] = linked.body.data.id
    expect((await workspace.api.send('POST', `/${type}/query`, real(`${name}Query`))).status).toBe(200)
    expect((await workspace.api.send('PATCH', `/${type}/${made[type]}`, real(`${name}Update`))).status).toBe(200)
    const upserted = await workspace.api.send('POST', `/${type}/upsert`, real(`${name}Upsert`))
    expect([upserted.body.errors, upserted.status < 300]).toEqual([undefined, true])
    expect((await workspace.api.send('POST', `/${type}/upsert`, real(`${name}Upsert`))).status).toBe(200)
  })

  it.each(Object.values(registry))('$type: create without links in a new workspace', async ({ type, one }) => {
    const { api, owner } = await newWorkspace()
    const name = one.charAt(0).toUpperCase() + one.slice(1)
    const plain = await api.send('POST', `/${type}`, real(`${name}Create`, owner))
    expect([plain.status, plain.body.errors]).toEqual([201, undefined])
  })
})
