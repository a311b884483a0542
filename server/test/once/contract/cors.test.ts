import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const PAGE = 'https://app.example.com'
const asking = { Origin: PAGE, 'Access-Control-Request-Method': 'PATCH' }

let own: OwnService
let workspace: TestWorkspace
beforeAll(async () => {
  own = await ownService({ CORS_ORIGINS: `${PAGE}, https://other.example.com:8443` })
  workspace = await own.workspace()
})

function namesIn({ headers }: Answered): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'))
}

describe('CORS for token requests: CORS_ORIGINS', () => {
  it('a preflight is answered without a token, also on a path that takes fewer methods', async () => {
    for (const path of ['/companies', '/companies/query', '/user']) {
      const { status, text, headers } = await plainRequest(`${own.url}/api/v1${path}`, {
        method: 'OPTIONS',
        headers: { ...asking, 'Access-Control-Request-Headers': 'authorization,if-match,idempotency-key' },
      })
      expect([status, text]).toEqual([204, ''])
      expect(headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE')
      expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*Idempotency-Key, If-Match, If-None/)
      expect(headers.get('access-control-max-age')).toBe('7200')
      expect(headers.get('vary')).toBe('Origin')
      expect(headers.has('x-ratelimit-limit')).toBe(false)
    }
  })

  it('responses and refusals can be read by these pages, with the headers that integrations need', async () => {
    const { api } = workspace
    const exposed = 'ETag, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, '
    for (const [path, status] of [
      ['/companies', 200],
      ['/companies/nothing', 404],
      ['/companies?page=0', 422],
      ['/nothing', 404],
    ] as const) {
      const answer = await api.get(path, { headers: { Origin: PAGE } })
      expect(answer.status).toBe(status)
      expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(answer.headers.get('access-control-expose-headers')).toBe(
        `${exposed}X-Schema-Version, X-Records-Changed, X-Change-Id, X-Changes-Cursor, Idempotent-Replayed, X-Request-Id`,
      )
    }
    const unknown = await plainRequest(`${own.url}/api/v1/companies`, { headers: { Origin: PAGE } })
    expect([unknown.status, unknown.headers.get('access-control-allow-origin')]).toEqual([401, PAGE])
  })

  it('never with credentials, never for other origins, and never on the private API', async () => {
    const { api, slug } = workspace
    const allowed = await api.get('/user', { headers: { Origin: PAGE } })
    expect(namesIn(allowed)).not.toContain('access-control-allow-credentials')
    for (const Origin of ['https://evil.example.com', `${PAGE}.evil.com`, 'http://app.example.com', 'null']) {
      const other = await api.get('/user', { headers: { Origin } })
      expect([other.status, namesIn(other), other.headers.get('vary')]).toEqual([200, [], 'Origin'])
      const preflight = await plainRequest(`${own.url}/api/v1/user`, {
        method: 'OPTIONS',
        headers: { ...asking, Origin },
      })
      expect([preflight.status, namesIn(preflight)]).toEqual([405, []])
    }
    for (const path of ['/api/app/session', `/api/app/w/${slug}/v1/companies`, '/mcp', '/api/v10/companies']) {
      const answer = await plainRequest(own.url + path, { method: 'OPTIONS', headers: asking })
      expect([path, namesIn(answer)]).toEqual([path, []])
    }
  })

  it('* allows every origin', async () => {
    const open = await ownService({ CORS_ORIGINS: '*' })
    const { api } = await open.workspace()
    const answer = await api.get('/user', { headers: { Origin: 'https://anything.example.com' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.has('vary')).toBe(false)
    await open.stop()
  })

  it('off by default', async () => {
    const { api } = await newWorkspace()
    const answer = await api.get('/user', { headers: { Origin: PAGE } })
    expect([answer.status, namesIn(answer)]).toEqual([200, []])
    const preflight = await plainRequest(`${api.base}/user`, { method: 'OPTIONS', headers: asking })
    expect([preflight.status, namesIn(preflight)]).toEqual([405, []])
  })
})
