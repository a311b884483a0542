import { it } from 'vitest'
import { inject } from 'vitest'
import { newWorkspace } from './workspace.ts'
import { plainRequest } from './plain-http.ts'
import net from 'node:net'

function raw(url: string, text: string): Promise<string> {
  const u = new URL(url)
  return new Promise((resolve) => {
    const s = net.connect(Number(u.port), u.hostname, () => s.write(text))
    let out = ''
    s.on('data', (d) => { out += d })
    s.on('close', () => resolve(out)); s.on('error', (e) => resolve(out + String(e)))
    setTimeout(() => s.destroy(), 1000)
  })
}
it('explores', async () => {
  const w = await newWorkspace()
  const { url } = inject('service')
  const auth = { Authorization: `Bearer ${w.api.token}` }
  const show = (label: string, a: { status: number; headers: Headers; text: string }) =>
    console.log(label, a.status, a.headers.get('content-type'), a.headers.get('allow'), a.headers.get('x-request-id')?.slice(0, 8), a.headers.get('x-ratelimit-limit'), a.text.slice(0, 200))
  for (const [m, p, h, b] of [
    ['GET', '/api/v1/nowhere', {}],
    ['GET', '/api/v1', {}], ['GET', '/api', {}], ['GET', '/v1/companies', auth],
    ['POST', '/api/v1/nowhere', { 'Content-Type': 'application/json' }, '{bad'],
    ['GET', '/api/v1/companies/%zz', auth],
    ['GET', '/api/v1/companies/' + 'a'.repeat(2000), auth],
    ['GET', '/api/v1/companies/', auth],
    ['POST', '/api/v1/companies/', auth, '{}'],
    ['HEAD', '/api/v1/companies/upsert', auth],
    ['HEAD', '/api/v1/companies', auth],
    ['GET', '/api/v1/companies/query', auth],
    ['TRACE', '/api/v1/companies', auth],
    ['QUERY', '/api/v1/companies', auth],
    ['PROPFIND', '/api/v1/companies', auth],
    ['OPTIONS', '/api/v1/companies', {}],
    ['PUT', '/api/v1/companies/01kacm7krp9mcrqeke4h6bxpg9', { ...auth, 'Content-Type': 'foo' }, '{}'],
    ['PUT', '/api/v1/companies/01kacm7krp9mcrqeke4h6bxpg9', { ...auth, 'Content-Type': 'text/plain' }, '{}'],
    ['POST', '/api/v1/companies', { ...auth, 'Content-Type': 'foo' }, '{"name":"x"}'],
  ] as const) show(`${m} ${p.slice(0, 60)}`, await plainRequest(url + p, { method: m, headers: h as Record<string, string>, body: b as string | undefined }).catch(e => ({ status: 0, headers: new Headers(), text: String(e) })))
  console.log(await raw(url, 'FOO /api/v1/companies HTTP/1.1\r\nHost: x\r\n\r\n'))
  console.log(await raw(url, `GET /api/v1/companies?x=${'a'.repeat(20000)} HTTP/1.1\r\nHost: x\r\n\r\n`))
  for (const size of [300_000, 3_000_000, 30_000_000]) {
    const counts: Record<string, number> = {}
    for (let i = 0; i < 40; i++) {
      const got = await w.api.post('/companies/query', { filter: { name: { $eq: 'x'.repeat(size) } } }).then((a) => String(a.status), (e) => String(e.cause ?? e))
      counts[got] = (counts[got] ?? 0) + 1
    }
    console.log(size, counts)
  }
}, 60000)
