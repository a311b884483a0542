import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { newUser, openBrowser, PASSWORD } from '../../browser.ts'
import { ownService } from '../../own-service.ts'

const built = join(import.meta.dirname, '../../../..', 'web', 'dist')

function get(path: string, headers: Record<string, string> = {}, url = inject('service').url): Promise<Response> {
  return fetch(url + path, { headers, redirect: 'manual' })
}

const PAGE = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

function directives(response: Response): Map<string, string> {
  const policy = response.headers.get('content-security-policy') ?? ''
  return new Map(policy.split('; ').map((directive) => [directive.split(' ')[0] ?? '', directive]))
}

describe('every answer', () => {
  it.each([
    '/api/app/start',
    '/api/app/nothing',
    '/api/v1/companies',
    '/api/openapi.json',
    '/nothing',
    '/docs',
    '/%ff',
  ])('%s: is sniffed as nothing else, cannot be framed and sends no referrer to other sites', async (path) => {
    const response = await get(path)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(directives(response).get('frame-ancestors')).toBe("frame-ancestors 'none'")
    expect(directives(response).get('default-src')).toBe("default-src 'none'")
    expect(response.headers.get('strict-transport-security')).toBeNull()
  })

  it('over https asks browsers to stay there', async () => {
    const own = await ownService({ APP_URL: 'https://crm.example.com' })
    const response = await get('/api/app/start', {}, own.url)
    expect(response.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
    // The session's cookie is then one that no other connection can set or see.
    const user = await newUser(own.runtime)
    const browser = openBrowser(own.url)
    const headers = { Origin: 'https://crm.example.com' }
    const signedIn = await browser.post('/sign-in', { email: user.email, password: PASSWORD }, { headers })
    expect(signedIn.status).toBe(200)
    expect(signedIn.headers.getSetCookie()[0]).toMatch(/^__Secure-kith\.session_token=.*; Secure/)
    expect((await browser.get('/session')).body.data.user.id).toBe(user.id)
    const plain = browser.cookie().replace('__Secure-', '')
    expect((await browser.get('/session', { headers: { Cookie: plain } })).status).toBe(401)
    await own.stop()
  })
})

// `npm ci` builds the application.
describe.runIf(existsSync(built))('the application', () => {
  it.each(['/', '/acme/companies?sort=-name', '/sign-in', '/set-up?token=x', '/acme/settings/members'])(
    'is what a browser gets at %s, under a policy without scripts in the page',
    async (path) => {
      const response = await get(path, PAGE)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^text\/html/)
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const policy = directives(response)
      expect(policy.get('script-src')).toBe("script-src 'self'")
      expect(policy.get('default-src')).toBe("default-src 'none'")
      expect(policy.get('base-uri')).toBe("base-uri 'none'")
      expect(policy.get('frame-ancestors')).toBe("frame-ancestors 'none'")
      const page = await response.text()
      for (const [, inside] of page.matchAll(/<script[^>]*>([^<]*)<\/script>/g)) expect(inside).toBe('')
      expect(page).not.toMatch(/\son\w+=|javascript:/i)
    },
  )

  it.each([
    '/api',
    '/api/nothing',
    '/api/app/nothing',
    '/api/v1/Nothing',
    '/v1/companies',
    '/docs/nothing',
    '/.well-known/x',
    '/assets/none.js',
  ])('is never sent instead of %s', async (path) => {
    const response = await get(path, PAGE)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.status).toBe(path === '/api' ? 200 : 404)
  })

  it('is not given to programs that ask for something that is not there', async () => {
    expect((await get('/acme/companies', { Accept: 'application/json' })).status).toBe(404)
    expect((await fetch(`${inject('service').url}/acme`, { method: 'POST', headers: PAGE })).status).toBe(404)
  })

  it('its files are kept for good and come compressed', async () => {
    const script = readdirSync(join(built, 'assets')).find((name) => name.endsWith('.js'))
    const response = await get(`/assets/${script}`, { 'Accept-Encoding': 'br' })
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-encoding')).toBe('br')
    expect(response.headers.get('content-type')).toMatch(/javascript/)
    // A tool that checks the address takes anything; it gets the page too.
    expect((await get('/', { Accept: '*/*' })).status).toBe(200)
    expect((await get('/assets')).status).toBe(404)
    expect((await get('/../package.json')).status).toBe(404)
    expect((await get('/assets/..%2f..%2fpackage.json')).status).toBe(404)
  })
})

describe('links lead nowhere else', () => {
  it.each([
    '//evil.example.com',
    '/\\evil.example.com',
    '/docs//evil.example.com',
    '/docs/?next=https://evil.example.com',
  ])('%s', async (path) => {
    const location = (await get(path, PAGE)).headers.get('location')
    if (location !== null) expect(new URL(location, 'https://here.example').host).toBe('here.example')
  })
})
