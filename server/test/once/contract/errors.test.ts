import { BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { describe, expect, inject, it } from 'vitest'
import { v1Routes } from '../../../src/http/v1/routes.ts'
import { addressed } from '../../addressed.ts'
import { type Answered, apiAt } from '../../api.ts'
import { ownService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'
import { newWorkspace } from '../../workspace.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

function expectError(answer: Answered, status: number, keys: readonly string[] = ['message']): void {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  expect(Object.keys(answer.body)).toEqual(keys)
  expect(typeof answer.body.message).toBe('string')
  expect(answer.body.message).not.toBe('')
}

describe('7. Errors: every error body is JSON {message: string}', () => {
  it('404: no record with that ID exists in the workspace, in the resource’s own word', async () => {
    const { api } = await newWorkspace()
    const { api: stranger } = await newWorkspace()
    for (const { type, one, label } of Object.values(registry)) {
      const deleted = (await api.post(`/${type}`, { [label]: 'Gone' })).body.data.id
      await api.delete(`/${type}/${deleted}`)
      const theirs = (await stranger.post(`/${type}`, { [label]: 'Theirs' })).body.data.id
      for (const id of [NOWHERE, deleted, theirs, 'not-an-id', '1', NOWHERE.slice(1)]) {
        for (const answer of [
          await api.get(`/${type}/${id}`),
          await api.put(`/${type}/${id}`, {}),
          await api.patch(`/${type}/${id}`, {}),
          await api.delete(`/${type}/${id}`),
        ]) {
          expectError(answer, 404)
          expect(answer.body.message).toBe(`No ${one} with the ID ${id} exists in this workspace.`)
        }
      }
    }
  })

  it('404: an id that is very long, or cannot be decoded, is none', async () => {
    const { api } = await newWorkspace()
    for (const id of ['x'.repeat(1000), 'x'.repeat(5000), '%E0%A4%A', '%00', '%zz', 'a%2Fb', '%20', '…']) {
      expectError(await api.get(`/companies/${id}`), 404)
    }
  })

  it('422: validation failures add `errors`, keyed by field name, each value an array of strings', async () => {
    const { api } = await newWorkspace()
    for (const { type, label } of Object.values(registry)) {
      const answer = await api.post(`/${type}`, { [label]: 1, nothing: true })
      expectError(answer, 422, ['message', 'errors'])
      expect(Object.keys(answer.body.errors).sort()).toEqual([label, 'nothing'].sort())
      for (const messages of Object.values<unknown[]>(answer.body.errors)) {
        expect(messages.length).toBeGreaterThan(0)
        for (const message of messages) expect(typeof message).toBe('string')
      }
      expect(answer.body.message).toBe(`${Object.values<string[]>(answer.body.errors)[0]?.[0]} (and 1 more error)`)
    }
  })

  it('409: message and matches', async () => {
    const { api, field, updateField } = await newWorkspace()
    await field('companies', { name: 'Key', type: 'text' })
    for (const name of ['One', 'Two']) await api.post('/companies', { name, custom_fields: { key: 'same' } })
    await updateField('companies', 'key', { unique: true })
    const answer = await api.post('/companies/upsert', { name: 'x', match: { field: 'key', value: 'same' } })
    expectError(answer, 409, ['message', 'matches'])
  })

  it('413: a body over 1 MiB, or over 256 KB on /query; one of just that size is read', async () => {
    const { api } = await newWorkspace()
    const bodyOf = (bytes: number) => `{"name": "${'x'.repeat(bytes - 12)}"}`
    for (const { type } of Object.values(registry)) {
      expectError(await api.send('POST', `/${type}/query`, bodyOf(QUERY_BODY_MAX_BYTES + 1)), 413)
      expectError(await api.send('POST', `/${type}/query`, bodyOf(QUERY_BODY_MAX_BYTES)), 422, ['message', 'errors'])
      expectError(await api.send('POST', `/${type}`, bodyOf(BODY_MAX_BYTES + 1)), 413)
      expectError(await api.send('POST', `/${type}`, bodyOf(BODY_MAX_BYTES)), 422, ['message', 'errors'])
    }
    expect(QUERY_BODY_MAX_BYTES).toBe(262_144)
    expect(BODY_MAX_BYTES).toBe(1_048_576)
  })

  it('500: `Server Error`, with request_id; nothing about the inside', async () => {
    const own = await ownService({ RATE_LIMIT_READS: '0' })
    const { api, runtime } = await own.workspace()
    await runtime.engine.single.session.run('alter table records rename to somewhere_else', [])
    for (const answer of [
      await api.get('/companies', { headers: { 'X-Request-Id': 'the-one' } }),
      await api.post('/companies', { name: 'Acme' }, { headers: { 'X-Request-Id': 'the-one' } }),
      await api.get(`/companies/${NOWHERE}`, { headers: { 'X-Request-Id': 'the-one' } }),
    ]) {
      expectError(answer, 500, ['message', 'request_id'])
      expect(answer.body).toEqual({ message: 'Server Error', request_id: 'the-one' })
      expect(answer.headers.get('x-request-id')).toBe('the-one')
      expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    }
    expect((await api.get('/custom-fields')).status).toBe(200)
    await own.stop()
  })
})

describe('1. Addresses: unknown path 404, known path with another method 405', () => {
  it.each([
    '',
    '/',
    '/nothing',
    '/Companies',
    '/companies/one/two',
    `/companies/${NOWHERE}/people`,
    `/custom-fields/${NOWHERE}`,
    '/members',
    '/user/me',
    '/../companies',
    '//companies',
  ])('404 {message}: %s', async (path) => {
    const { api } = await newWorkspace()
    const headers = { Authorization: `Bearer ${api.token}` }
    expectError(await plainRequest(api.base + path, { headers }), 404)
  })

  const paths = [...new Set(v1Routes.map(({ path }) => path))]
  it.each(paths)('405 {message} with Allow: %s', async (path) => {
    const { api } = await newWorkspace()
    const supported = v1Routes.filter((route) => route.path === path).map(({ method }) => method as string)
    if (supported.includes('GET')) supported.push('HEAD')
    for (const method of METHODS) {
      if (supported.includes(method)) continue
      const headers = { Authorization: `Bearer ${api.token}` }
      const answer = await plainRequest(api.base + addressed(path, NOWHERE), { method, headers })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(supported.toSorted())
      expect(answer.headers.get('content-type')).toBe('application/json')
      if (method !== 'HEAD') expect(Object.keys(answer.body)).toEqual(['message'])
    }
  })

  it.each([
    ['/api', 'GET, HEAD'],
    ['/api/openapi.json?x', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/.well-known/oauth-authorization-server', 'GET, HEAD'],
  ])('405 {message} with Allow, outside /v1: %s', async (path, allow) => {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const answer = await plainRequest(inject('service').url + path, { method })
      expect([answer.headers.get('allow'), answer.headers.get('content-type')]).toEqual([allow, 'application/json'])
      expectError(answer, 405)
    }
  })

  it('HEAD answers as GET does, without the body', async () => {
    const { api } = await newWorkspace()
    const headers = { Authorization: `Bearer ${api.token}` }
    for (const path of ['/companies', '/custom-fields', '/user']) {
      const answer = await plainRequest(api.base + path, { method: 'HEAD', headers })
      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
    }
    expect((await plainRequest(`${api.base}/companies/${NOWHERE}`, { method: 'HEAD', headers })).status).toBe(404)
    expect((await plainRequest(`${api.base}/companies`, { method: 'HEAD' })).status).toBe(401)
  })
})

describe('3. Every response carries X-Request-Id', () => {
  it('of success, refusal, unknown path and health alike, and no two the same', async () => {
    const { api } = await newWorkspace()
    const bare = apiAt(inject('service').url, '')
    const root = inject('service').url
    const made = await api.post('/companies', { name: 'Acme' })
    const answers: { headers: Headers }[] = [
      made,
      await api.get('/companies'),
      await api.delete(`/companies/${made.body.data.id}`),
      await api.post('/companies', {}),
      await api.get('/companies/nothing'),
      await bare.get('/companies'),
      await api.get('/nothing'),
      await api.put('/companies', {}),
      await api.send('POST', '/companies', 'x'.repeat(BODY_MAX_BYTES + 1)),
      await fetch(`${root}/healthz`),
      await fetch(`${root}/readyz`),
      await fetch(`${root}/v1/companies`),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(['abc', 'ABC-123_x.y', '0'.repeat(64)])('one that the caller sends is kept: %s', async (id) => {
    const { api } = await newWorkspace()
    for (const path of ['/companies', '/companies/nothing', '/nothing']) {
      expect((await api.get(path, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id')).toBe(id)
    }
  })

  it.each(['', 'two words', 'x'.repeat(65), '<script>', 'a"b', 'é', 'a;b'])(
    'one that could do harm is not: %s',
    async (id) => {
      const { api } = await newWorkspace()
      const answer = await api.get('/companies', { headers: { 'X-Request-Id': id } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
      expect(answer.headers.get('x-request-id')).not.toBe(id)
    },
  )
})
