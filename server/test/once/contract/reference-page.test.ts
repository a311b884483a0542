import { describe, expect, inject, it } from 'vitest'

describe('1. Addresses: /docs serves an interactive reference made from the OpenAPI document', () => {
  const at = (path: string) => `${inject('service').url}${path}`

  it('to everybody, as a page that browsers do not cache', async () => {
    const page = await fetch(at('/docs'))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('x-request-id')).toMatch(/./)
    expect((await fetch(at('/docs/'))).url).toBe(at('/docs'))
  })

  it('with scripts from this service only, and none in the page', async () => {
    const page = await fetch(at('/docs'))
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    const html = await page.text()
    expect(html).not.toMatch(/https?:|\/\/[a-z]|<style|<script(?! src="\/docs\/)|<script[^>]*>[^<]| on\w+=/)
  })

  it('whose start reads /api/openapi.json and turns off requests to other hosts', async () => {
    const start = await (await fetch(at('/docs/start.js'))).text()
    expect(start).toContain("url: '/api/openapi.json'")
    for (const off of ['telemetry: false', 'withDefaultFonts: false', "proxyUrl: ''", 'agent: { disabled: true }']) {
      expect(start).toContain(off)
    }
  })

  it.each(['br', 'gzip', 'identity'])('whose scripts are all there (%s)', async (encoding) => {
    const html = await (await fetch(at('/docs'))).text()
    const sources = [...html.matchAll(/src="([^"]+)"/g)].map(([, source]) => source ?? '')
    expect(sources).toHaveLength(2)
    for (const source of sources) {
      const script = await fetch(at(source), { headers: { 'Accept-Encoding': encoding } })
      expect(script.status).toBe(200)
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(await script.text()).toContain('createApiReference')
    }
  })

  it('whose bundle is kept for good, compressed as the browser likes it', async () => {
    const html = await (await fetch(at('/docs'))).text()
    const [, bundle = ''] = /src="(\/docs\/scalar-[\d.]+\.js)"/.exec(html) ?? []
    const script = await fetch(at(bundle), { headers: { 'Accept-Encoding': 'gzip, deflate, br' } })
    expect(script.headers.get('content-encoding')).toBe('br')
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const etag = script.headers.get('etag') ?? ''
    const headers = { 'Accept-Encoding': 'gzip, deflate, br', 'If-None-Match': etag }
    expect((await fetch(at(bundle), { headers })).status).toBe(304)
  })
})
