import { connect } from 'node:net'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { type OwnService, ownService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'
import { newWorkspace } from '../../workspace.ts'

/** Sends bytes and returns all that comes back until the other side closes. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    socket.write(bytes, 'latin1')
  })
}

describe('two Host headers', () => {
  it.each(['/healthz', '/api/v1/companies', '/api/app/start', '/nothing', '/mcp'])('at %s get 400', async (path) => {
    const { url } = inject('service')
    for (const second of ['a.example', 'b.example']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: a.example\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`
      const told = await raw(url, head)
      expect(told).toMatch(/^HTTP\/1\.1 400 /)
      expect(told).toContain('more than one Host header')
    }
  })
})

describe('a forwarded host', () => {
  const forwarded = { 'X-Forwarded-Host': 'api.example.com', 'X-Forwarded-Proto': 'https' }
  let near: OwnService
  let far: OwnService

  beforeAll(async () => {
    const domain = { API_DOMAIN: 'api.example.com', APP_URL: 'https://crm.example.com' }
    near = await ownService({ ...domain, TRUST_PROXY: 'loopback' })
    far = await ownService({ ...domain, TRUST_PROXY: '192.0.2.0/24, 2001:db8::1' })
  })

  async function asked(own: OwnService, path: string) {
    const { api } = await own.workspace()
    const headers = { Authorization: `Bearer ${api.token}`, Host: 'crm.example.com', ...forwarded }
    return plainRequest(own.url + path, { headers })
  }

  it('counts when a trusted proxy has sent the request', async () => {
    const answer = await asked(near, '/v1/companies')
    expect([answer.status, answer.body.meta.path]).toEqual([200, 'https://api.example.com/v1/companies'])
  })

  it('does not count when anybody else has sent it', async () => {
    expect((await asked(far, '/v1/companies')).status).toBe(404)
    const other = { Host: 'api.example.com', 'X-Forwarded-Host': 'crm.example.com' }
    const { api } = await far.workspace()
    const headers = { Authorization: `Bearer ${api.token}`, ...other }
    expect((await plainRequest(`${far.url}/v1/companies`, { headers })).status).toBe(200)
  })
})

describe('paths below /api/auth', () => {
  it.each([
    '/api/auth/%2e%2e/app/start',
    '/api/auth/oauth2/%2e%2e/%2E%2e/app/start',
    '/api/auth/oauth2/%2e%2e/sign-in/email',
    '/api/auth/oauth2/%2e%2e/oauth2/token',
    '/api/auth/oauth2/%2E%2E/token',
    '/api/auth/oauth2/.%2e/revoke',
    '/api/auth/oauth2/%252e%252e/token',
    '/api/auth/oauth2/x/token',
    '/api/auth/oauth2/x%2f..%2ftoken',
    '/api/auth/oauth2/%74oken',
    '/api/auth/oauth2//token',
    '/api/auth/oauth2/%5c..%5ctoken',
    '/api/auth/oauth2/../oauth2/token',
  ])('%s is nothing', async (path) => {
    const { url } = inject('service')
    await newWorkspace()
    const body = 'grant_type=refresh_token&client_id=x&refresh_token=x&token=x'
    for (const method of ['GET', 'POST']) {
      const head = [
        `${method} ${path} HTTP/1.1`,
        'Host: x',
        'Connection: close',
        'Content-Type: application/x-www-form-urlencoded',
        ...(method === 'POST' ? [`Content-Length: ${body.length}`] : []),
      ]
      const told = await raw(url, `${head.join('\r\n')}\r\n\r\n${method === 'POST' ? body : ''}`)
      expect(told, method).toMatch(/^HTTP\/1\.1 404 /)
    }
  })
})
