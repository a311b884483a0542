import { connect } from 'node:net'
import { resourceNames } from '@kith/contract/resource'
import { describe, expect, inject, it } from 'vitest'
import { plainRequest } from '../../plain-http.ts'
import { newWorkspace } from '../../workspace.ts'

/** Sends bytes and returns all that comes back until the other side closes. */
function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(inject('service').url)
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

describe('request smuggling', () => {
  const body = JSON.stringify({ name: 'First' })
  const hidden = (token: string) =>
    `POST /api/v1/companies HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{"name":"Smuggled"}`

  it.each([
    ['two lengths', [`Content-Length: ${body.length}`, 'Content-Length: 0']],
    ['a length and chunks', ['Content-Length: 0', 'Transfer-Encoding: chunked']],
    ['a coding that is none', ['Transfer-Encoding: xchunked']],
    ['a coding behind another', ['Transfer-Encoding: chunked, identity']],
    ['a length with a sign', [`Content-Length: +${body.length}`]],
    ['a header name with a space', [`Content-Length : ${body.length}`]],
    ['a header over two lines', ['X: a', ` Content-Length: ${body.length}`, 'Content-Length: 0']],
  ])('a request with %s is refused, and nothing behind it is taken for another', async (_, headers) => {
    const { api } = await newWorkspace()
    const head = [
      'POST /api/v1/companies HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${api.token}`,
      'Content-Type: application/json',
      ...headers,
    ]
    const told = await raw(`${head.join('\r\n')}\r\n\r\n${body}${hidden(api.token)}`)
    expect(told).toMatch(/^HTTP\/1\.1 400 /)
    expect(told.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect((await api.get('/companies')).body.meta.total).toBe(0)
  })
})

describe('SQL injection', () => {
  const attacks = [
    "' or '1'='1",
    "name' --",
    'name; drop table companies; --',
    'name) or (1=1',
    '"name"',
    'name,(select hash from tokens)',
    "1' union select hash from tokens --",
    '\\',
    '%27',
    '$1',
    '?',
  ]

  it('through names of filters, sorts, fields, includes, operators and codes is refused as unknown', async () => {
    const { api } = await newWorkspace()
    await api.post('/companies', { name: 'Acme' })
    for (const attack of attacks) {
      const told = encodeURIComponent(attack)
      for (const query of [
        `sort=${told}`,
        `sort=custom_fields.${told}`,
        `fields=${told}`,
        `include=${told}`,
        `filter[${told}][$eq]=x`,
        `filter[name][${told}]=x`,
        `filter[custom_fields][${told}][$eq]=x`,
        `cursor=${told}`,
        `per_page=${told}`,
      ]) {
        expect((await api.get(`/companies?${query}`)).status, query).toBe(422)
      }
    }
    expect((await api.get('/companies')).body.meta.total).toBe(1)
  })

  it('through values finds what is written so, and nothing else', async () => {
    const { api } = await newWorkspace()
    await api.post('/companies', { name: 'Acme' })
    for (const attack of attacks) {
      const made = await api.post('/companies', { name: attack, custom_fields: { linkedin: null } })
      expect(made.body.data.attributes.name).toBe(attack)
      for (const operator of ['$eq', '$contains']) {
        const found = await api.post('/companies/query', { filter: { name: { [operator]: attack } } })
        const names = found.body.data.map((one: { attributes: { name: string } }) => one.attributes.name)
        expect(names).toContain(attack)
        expect(
          names.every((name: string) =>
            operator === '$eq' ? name === attack : name.toLowerCase().includes(attack.toLowerCase()),
          ),
        ).toBe(true)
      }
    }
  })
})

describe('what a caller may not set', () => {
  it('mass assignment: ids, owners, times, deletion and the workspace cannot be written', async () => {
    const [{ api, owner }, other] = [await newWorkspace(), await newWorkspace()]
    for (const type of resourceNames) {
      const label = type === 'tasks' || type === 'notes' ? 'title' : 'name'
      for (const key of [
        'id',
        'workspace_id',
        'creator_id',
        'deleted_at',
        'name_key',
        'seq',
        '__proto__',
        'constructor',
      ]) {
        const refused = await api.send('POST', `/${type}`, `{"${label}":"x","${key}":"${other.id}"}`)
        expect(refused.status, `${type} ${key}`).toBe(422)
      }
      const made = await api.post(`/${type}?include=creator`, {
        [label]: 'x',
        creation_source: 'web',
        created_at: '2000-01-01T00:00:00.000Z',
      })
      expect(made.status).toBe(201)
      expect(made.body.data.attributes.creation_source).toBe('api')
      expect(made.body.data.attributes.created_at).not.toMatch(/^2000/)
      expect(made.body.data.relationships.creator.data.id).toBe(owner.id)
    }
  })
})

describe('what is shown elsewhere', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'java\tscript:alert(1)',
  ])('a link to %j is no link', async (link) => {
    const { api } = await newWorkspace()
    const refused = await api.post('/companies', { name: 'Acme', custom_fields: { linkedin: [link] } })
    expect(refused.status).toBe(422)
  })

  it('answers are never taken for a page: markup comes back as JSON that no browser looks into', async () => {
    const { api } = await newWorkspace()
    const name = '<script>alert(1)</script>'
    const made = await api.post('/companies', { name })
    for (const { headers } of [
      made,
      await api.get('/companies'),
      await api.get(`/companies?sort=${encodeURIComponent(name)}`),
      await api.get(`/${encodeURIComponent(name)}`),
    ]) {
      expect(headers.get('Content-Type')).toMatch(/^application\/(vnd\.api\+)?json/)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })
})

describe('host-header attacks', () => {
  it('an invented Host is only used for its sender: it is neither stored nor shown to others', async () => {
    const { api } = await newWorkspace()
    await api.post('/companies', { name: 'Acme' })
    const headers = { Authorization: `Bearer ${api.token}`, Host: 'evil.example', 'X-Forwarded-Host': 'worse.example' }
    const poisoned = await plainRequest(`${api.base}/companies?per_page=1`, { headers })
    expect(poisoned.text).not.toContain('worse.example')
    const next = await api.get('/companies?per_page=1')
    expect(next.text).not.toContain('evil.example')
    // What is made for a caller's own address is not cached for others.
    const address = `${inject('service').url}/api/openapi.json`
    const own = await plainRequest(address, { headers: { Host: 'evil.example' } })
    expect(own.headers.get('Cache-Control')).toBe('no-cache')
    expect((await plainRequest(address)).text).not.toContain('evil.example')
  })
})

describe('tokens', () => {
  it('are in no answer, whatever is wrong with the request', async () => {
    const { api } = await newWorkspace()
    for (const path of [
      '/companies',
      '/companies?sort=nonsense',
      '/companies/x',
      '/nonsense',
      '/user',
      `/companies?filter[name][$eq]=${api.token.slice(0, 3)}`,
    ]) {
      const { text, headers } = await api.get(path)
      expect(text).not.toContain(api.token)
      expect(JSON.stringify([...headers])).not.toContain(api.token)
    }
  })
})
