import { describe, expect, it } from 'vitest'
import { localService } from '../test/local-service.ts'
import { createClient } from './client.ts'

const company = { data: { id: '1', type: 'companies', attributes: { name: 'Acme' } } }
const ok = { status: 200, body: company }

describe('requests', () => {
  it('carry the token and ask for JSON', async () => {
    const { url, received } = await localService(ok)
    await createClient({ url, token: 'kith_secret' }).companies.read('1')
    expect(received).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/companies/1',
        headers: { accept: 'application/json', authorization: 'Bearer kith_secret' },
        body: '',
      },
    ])
    expect(received[0]?.headers).not.toHaveProperty('content-type')
  })

  it('have a body of JSON where they have one', async () => {
    const { url, received } = await localService(ok)
    const kith = createClient({ url: `${url}//`, token: 't' })
    await kith.companies.update('a/b', { name: 'Ä', custom_fields: { since: new Date(0), icp: undefined } })
    expect(received).toMatchObject([
      { method: 'PUT', path: '/api/v1/companies/a%2Fb', headers: { 'content-type': 'application/json' } },
    ])
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      name: 'Ä',
      custom_fields: { since: '1970-01-01T00:00:00.000Z' },
    })
  })

  it('name what the answer shall show, joined by commas', async () => {
    const { url, received } = await localService(ok)
    const kith = createClient({ url, token: 't' })
    await kith.companies.create({ name: 'Acme' }, { include: ['people', 'notesCount'], fields: ['name'] })
    await kith.people.list({ fields: { people: ['name'], users: ['email'] }, sort: ['-name', 'created_at'], page: 2 })
    expect(received.map(({ path }) => path)).toEqual([
      '/api/v1/companies?include=people,notesCount&fields=name',
      '/api/v1/people?page=2&fields%5Bpeople%5D=name&fields%5Busers%5D=email&sort=-name,created_at',
    ])
  })

  it('send a filter in a body, and a list without one as an address', async () => {
    const { url, received } = await localService({ status: 200, body: { data: [], meta: {}, links: {} } })
    const kith = createClient({ url, token: 't' })
    const filter = { name: { $contains: 'a' } }
    await kith.notes.list({ per_page: 5 })
    await kith.notes.query({ per_page: 5 })
    await kith.people.list({ filter, include: ['company'], sort: ['name', '-created_at'] })
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/notes?per_page=5',
      'POST /api/v1/notes/query',
      'POST /api/v1/people/query',
    ])
    expect(JSON.parse(received[1]?.body ?? '')).toEqual({ per_page: 5 })
    expect(JSON.parse(received[2]?.body ?? '')).toEqual({ filter, include: 'company', sort: 'name,-created_at' })
  })

  it('omit options that are undefined', async () => {
    const { url, received } = await localService({ status: 200, body: { data: [], meta: {}, links: {} } })
    const none = { filter: undefined, sort: undefined, include: undefined, fields: undefined, page: undefined }
    const kith = createClient({ url, token: 't', signal: undefined, retries: undefined, fetch: undefined })
    await kith.companies.list({ ...none, signal: undefined })
    await kith.companies.create({ name: 'A' }, { idempotencyKey: undefined })
    await kith.companies.update('1', { name: undefined }, { ifMatch: undefined })
    await kith.notifications.list({ unread: undefined, cursor: undefined })
    expect(received.map(({ path }) => path)).toEqual([
      '/api/v1/companies',
      '/api/v1/companies',
      '/api/v1/companies/1',
      '/api/v1/notifications',
    ])
    expect(received[1]?.headers).toMatchObject({ 'idempotency-key': expect.any(String) })
    expect(received[2]).toMatchObject({ body: '{}' })
    expect(received[2]?.headers).not.toHaveProperty('if-match')
  })

  it('that can never be sent are refused when the client is made', () => {
    expect(() => createClient({ url: '/api', token: 't' })).toThrow(TypeError)
    for (const url of ['', 'htp://localhost/api', 'localhost:3000/api', 'crm.example.com/api'])
      expect(() => createClient({ url, token: 't' })).toThrow(`The url must begin with http:// or https://: ${url}`)
    expect(() => createClient({ url: 'http://localhost/api', token: 'two\nlines' })).toThrow(TypeError)
  })
})

describe('the address', () => {
  it.each(['/api', '/api/', '/api/v1', '/api/v1/'])('may end in %s', async (end) => {
    const { url, received } = await localService(ok)
    await createClient({ url: url.replace('/api', end), token: 't' }).companies.read('1')
    expect(received.map(({ path }) => path)).toEqual(['/api/v1/companies/1'])
  })

  it.each(['', '/', '/v1'])('may be that of the application, followed by "%s": it is asked once', async (end) => {
    const { url, received } = await localService(ok)
    const kith = createClient({ url: url.replace('/api', end), token: 't' })
    await kith.companies.read('1')
    await kith.companies.create({ name: 'Acme' })
    expect(received.map(({ path }) => path)).toEqual(['/api/v1/token', '/api/v1/companies/1', '/api/v1/companies'])
  })

  it('may be a domain that the API has to itself', async () => {
    const { url, received } = await localService({ status: 404, body: { message: 'Not here.' } }, ok)
    await createClient({ url: url.replace('/api', ''), token: 't' }).companies.read('1')
    expect(received.map(({ path }) => path)).toEqual(['/api/v1/token', '/v1/companies/1'])
  })

  it('is asked again if the service was not there', async () => {
    const { url, received } = await localService('hang up', ok)
    await createClient({ url: url.replace('/api', ''), token: 't' }).companies.create({ name: 'Acme' })
    expect(received.map(({ path }) => path)).toEqual(['/api/v1/token', '/api/v1/token', '/api/v1/companies'])
  })
})

describe('failures', () => {
  const refusals = [
    [401, 'unauthenticated', { message: 'Unauthenticated.' }],
    [402, 'paused', { message: 'Paused.', upgrade_url: 'https://crm.example.com/acme/settings/billing' }],
    [403, 'forbidden', { message: 'The token lacks the ability create.' }],
    [404, 'not_found', { message: 'No company with the ID 1 exists in this workspace.' }],
    [405, 'method_not_allowed', { message: 'Not here.' }],
    [409, 'ambiguous', { message: 'Merge the duplicates, then retry.', matches: ['1', '2'] }],
    [413, 'too_large', { message: 'The request body is too large.' }],
    [
      422,
      'invalid',
      { message: 'No. (and 1 more error)', errors: { name: ['No.'], 'custom_fields.emails.0': ['No.'] } },
    ],
    [429, 'rate_limited', { message: 'Too many requests.' }],
    [500, 'server_error', { message: 'Server Error', request_id: 'r-1' }],
    [503, 'busy', { message: 'Retry shortly.' }],
  ] as const

  it.each(refusals)('of status %i are of kind %s', async (status, kind, body) => {
    const headers = { 'X-Request-Id': 'r-1', 'Content-Type': 'application/json' }
    const { url, received } = await localService({ status, headers, body })
    const failed = createClient({ url, token: 't', retries: 0 }).companies.create({ name: 'Acme' })
    const nothing = { errors: {}, matches: [], upgrade_url: null, retry_after: null }
    await expect(failed).rejects.toMatchObject({
      ...nothing,
      ...body,
      name: 'KithError',
      kind,
      status,
      request_id: 'r-1',
    })
    expect(received).toHaveLength(1)
  })

  it('have the seconds to wait', async () => {
    const { url } = await localService({
      status: 429,
      headers: { 'Retry-After': '42' },
      body: { message: 'Slow down.' },
    })
    const failed = createClient({ url, token: 't', retries: 0 }).user()
    await expect(failed).rejects.toMatchObject({ kind: 'rate_limited', retry_after: 42 })
  })

  it('of a proxy have a message all the same', async () => {
    const { url } = await localService({ status: 502, body: '<h1>Bad gateway</h1>' })
    const failed = createClient({ url, token: 't', retries: 0 }).user()
    await expect(failed).rejects.toMatchObject({
      kind: 'server_error',
      status: 502,
      message: expect.stringMatching(/502/),
    })
  })

  it('of a service that is not there say so', async () => {
    const failed = createClient({ url: 'http://127.0.0.1:1/api', token: 't', retries: 0 }).user()
    await expect(failed).rejects.toMatchObject({ kind: 'unreachable', status: 0, cause: expect.any(TypeError) })
  })

  it('of a connection that was refused name the reason', async () => {
    const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:4000')])
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: refused }))
    const failed = createClient({ url: 'http://kith.test/api', token: 't', retries: 0, fetch }).user()
    await expect(failed).rejects.toThrow('The service could not be reached: connect ECONNREFUSED ::1:4000')
  })

  it('are thrown when something else answers', async () => {
    const { url } = await localService({ status: 200, body: '<!doctype html>' })
    const failed = createClient({ url, token: 't' }).user()
    await expect(failed).rejects.toMatchObject({
      kind: 'unexpected',
      status: 200,
      message: expect.stringMatching(/\/api/),
    })
  })

  it('are thrown for a redirect, which would lose the body', async () => {
    const headers = { Location: 'https://crm.example.com/api/v1/companies' }
    const { url, received } = await localService({ status: 301, headers })
    const failed = createClient({ url, token: 't' }).companies.create({ name: 'Acme' })
    await expect(failed).rejects.toMatchObject({
      kind: 'unexpected',
      status: 301,
      message: expect.stringMatching(/https:\/\/crm\.example\.com/),
    })
    expect(received).toHaveLength(1)
  })
})
