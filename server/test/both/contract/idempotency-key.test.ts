import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import type { Answered, Api } from '../../api.ts'
import { gone, made, NOWHERE, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const keyed = (key: string, headers: object = {}) => ({ headers: { 'Idempotency-Key': key, ...headers } })

const total = async (api: Api, type = 'companies') => (await api.get(`/${type}`)).body.meta.total

/** The second response is the first one, byte for byte. */
function expectReplay(again: Answered, first: Answered): void {
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect([again.status, again.text]).toEqual([first.status, first.text])
  for (const name of ['etag', 'location', 'content-type']) expect(again.headers.get(name)).toBe(first.headers.get(name))
}

/** Everything that a write leaves behind. */
async function traces({ id, runtime }: TestWorkspace): Promise<unknown> {
  const { db } = runtime.engine
  return [
    await sql`select id from audit_log where workspace_id = ${id} order by id`.all(db),
    await sql`select sum(version) as version from record_counts where workspace_id = ${id}`.all(db),
  ]
}

describe('sync 2. Idempotency-Key: same key, same request returns the stored status and body', () => {
  it.each(Object.values(registry).map(({ type, label }) => [type, label] as const))(
    'create, update, delete: %s',
    async (type, label) => {
      const workspace = await newWorkspace()
      const { api } = workspace
      const created = await api.post(`/${type}`, { [label]: 'One' }, keyed('a'))
      expect(created.status).toBe(201)
      const path = `/${type}/${created.body.data.id}`
      const updated = await api.put(path, { [label]: 'Two' }, keyed('b'))
      const patched = await api.patch(path, { [label]: 'Three' }, keyed('c'))
      const deleted = await api.delete(path, keyed('d'))
      expect([updated.status, patched.status, deleted.status]).toEqual([200, 200, 204])
      const before = await traces(workspace)
      expectReplay(await api.post(`/${type}`, { [label]: 'One' }, keyed('a')), created)
      expectReplay(await api.put(path, { [label]: 'Two' }, keyed('b')), updated)
      expectReplay(await api.patch(path, { [label]: 'Three' }, keyed('c')), patched)
      expectReplay(await api.delete(path, keyed('d')), deleted)
      expect(await traces(workspace)).toEqual(before)
      expect(await total(api, type)).toBe(0)
    },
  )

  it('an upsert that created replays as created, although it would now update', async () => {
    const { api } = await newWorkspace()
    const input = { name: 'Acme', match: { field: 'domains', value: 'acme.com' } }
    const first = await api.post('/companies/upsert?include=peopleCount', input, keyed('a'))
    expect(first.status).toBe(201)
    await api.put(`/companies/${first.body.data.id}`, { name: 'Globex' })
    expectReplay(await api.post('/companies/upsert?include=peopleCount', input, keyed('a')), first)
    expect((await api.get(`/companies/${first.body.data.id}`)).body.data.attributes.name).toBe('Globex')
  })

  it('the order of keys in the body, of parameters, and quotes around the key do not matter', async () => {
    const { api } = await newWorkspace()
    const send = (path: string, body: string, key: string) => api.send('POST', path, body, keyed(key))
    const fields = { icp: true, domains: ['a.com', 'b.com'] }
    const first = await send(
      '/companies?include=peopleCount&fields=name',
      JSON.stringify({ name: 'A', custom_fields: fields }),
      'k',
    )
    const turned = `{ "custom_fields": {"domains": ["a.com", "b.com"], "icp": true}, "name": "\\u0041" }`
    expectReplay(await send('/companies?fields=name&include=peopleCount', turned, '"k"'), first)
    expect(await total(api)).toBe(1)
  })
})

describe('sync 2. Idempotency-Key: same key, different request is 422 on idempotency_key', () => {
  it('another body, path, method, query, If-Match or If-None-Match; nothing is done', async () => {
    const { api } = await newWorkspace()
    const { id, attributes } = await made(api, 'companies')
    const path = `/companies/${id}`
    const other = `/companies/${(await made(api, 'companies')).id}`
    const match = { 'If-Match': `"${attributes.updated_at}"` }
    expect((await api.put(path, { name: 'Two' }, keyed('k', match))).status).toBe(200)
    const name = { name: 'Two' }
    const different: [string, Promise<Answered>][] = [
      ['the body', api.put(path, { name: 'Three' }, keyed('k', match))],
      ['the body', api.send('PUT', path, '{', keyed('k', match))],
      ['the body', api.put(path, undefined, keyed('k', match))],
      ['path', api.put(other, name, keyed('k', match))],
      ['path', api.put(`/companies/${NOWHERE}`, name, keyed('k', match))],
      ['method', api.patch(path, name, keyed('k', match))],
      ['query', api.put(`${path}?include=peopleCount`, name, keyed('k', match))],
      ['If-Match', api.put(path, name, keyed('k', { 'If-Match': '*' }))],
      ['If-Match', api.put(path, name, keyed('k'))],
      ['If-None-Match', api.put(path, name, keyed('k', { ...match, 'If-None-Match': '*' }))],
      ['method, path', api.post('/people', name, keyed('k', match))],
    ]
    for (const [what, answering] of different) {
      const problems = await problemsOf(answering)
      expect(Object.keys(problems)).toEqual(['idempotency_key'])
      expect(problems.idempotency_key?.[0]).toContain(what)
    }
    expect((await api.get(path)).body.data.attributes.name).toBe('Two')
    expect(await total(api, 'people')).toBe(0)
  })
})

describe('sync 2. Idempotency-Key: only outcomes that did something are stored', () => {
  it('a rejection leaves the key free: 404, 409, 412, 422', async () => {
    const { api, field, updateField } = await newWorkspace()
    await field('companies', { name: 'Number', type: 'text', code: 'number' })
    for (const _ of [1, 2]) await made(api, 'companies', { custom_fields: { number: '7' } })
    await updateField('companies', 'number', { unique: true })
    const one = await made(api, 'companies')
    const upsert = { name: 'A', match: { field: 'number', value: '7' } }
    for (const [status, answering] of [
      [422, api.post('/companies', { name: '' }, keyed('k'))],
      [404, api.put(`/companies/${NOWHERE}`, { name: 'A' }, keyed('k'))],
      [412, api.put(`/companies/${one.id}`, { name: 'A' }, keyed('k', { 'If-Match': '"x"' }))],
      [409, api.post('/companies/upsert', upsert, keyed('k'))],
    ] as const) {
      expect((await answering).status).toBe(status)
    }
    const created = await api.post('/companies', { name: 'Acme' }, keyed('k'))
    expect([created.status, created.headers.get('idempotent-replayed')]).toEqual([201, null])
  })

  it('a rejected request that is fixed may use its key again', async () => {
    const { api } = await newWorkspace()
    await api.post('/companies', { name: '' }, keyed('k'))
    expect((await api.post('/companies', { name: 'A' }, keyed('k'))).status).toBe(201)
  })
})

describe('sync 2. Idempotency-Key: 1 to 255 printable ASCII characters', () => {
  it('otherwise 422 on idempotency_key, before record and body are looked at', async () => {
    const { api } = await newWorkspace()
    for (const key of ['', '""', 'x'.repeat(256), 'ä', 'a\tb']) {
      for (const answering of [
        api.post('/companies', { name: '' }, keyed(key)),
        api.put(`/companies/${NOWHERE}`, { name: 'A' }, keyed(key, { 'If-Match': 'malformed' })),
        api.delete(`/companies/${NOWHERE}`, keyed(key)),
      ]) {
        expect(Object.keys(await problemsOf(answering)), key).toEqual(['idempotency_key'])
      }
    }
    for (const key of ['x', '"', `"${'y'.repeat(255)}"`, 'a "b" ~!', '{}']) {
      expect((await api.post('/companies', { name: 'A' }, keyed(key))).status, key).toBe(201)
    }
  })

  it('is ignored on GET and on /query', async () => {
    const { api } = await newWorkspace()
    for (const key of ['k', '']) {
      expect((await api.get('/companies', keyed(key))).status).toBe(200)
      expect((await api.post('/companies/query', {}, keyed(key))).status).toBe(200)
      expect((await api.post('/companies/query', { per_page: 1 }, keyed(key))).status).toBe(200)
    }
    expect((await api.post('/companies', { name: 'A' }, keyed('k'))).status).toBe(201)
  })
})

describe('sync 2. Idempotency-Key: keys belong to the token', () => {
  it('another token and another workspace have their own', async () => {
    const [workspace, elsewhere] = [await newWorkspace(), await newWorkspace()]
    const other = await workspace.token()
    for (const api of [workspace.api, other, elsewhere.api]) {
      const first = await api.post('/companies', { name: 'A' }, keyed('k'))
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
      expectReplay(await api.post('/companies', { name: 'A' }, keyed('k')), first)
    }
    expect(await total(workspace.api)).toBe(2)
  })

  it('token and abilities are checked as usual, before the key', async () => {
    const workspace = await newWorkspace()
    const { owner } = workspace
    const token = await workspace.token({ user: owner })
    expect((await token.post('/companies', { name: 'A' }, keyed('k'))).status).toBe(201)
    await workspace.revoke(token.id)
    expect((await token.post('/companies', { name: 'A' }, keyed('k'))).status).toBe(401)
    const reader = await workspace.token({ abilities: ['read'] })
    expect((await reader.post('/companies', { name: 'A' }, keyed(''))).status).toBe(403)
    const large = JSON.stringify({ name: 'x'.repeat(2 ** 20) })
    expect((await workspace.api.send('POST', '/companies', large, keyed(''))).status).toBe(413)
  })

  it('a replay still comes after the record is deleted', async () => {
    const { api } = await newWorkspace()
    const first = await api.post('/companies', { name: 'A' }, keyed('k'))
    await gone(api, 'companies', first.body.data.id)
    expectReplay(await api.post('/companies', { name: 'A' }, keyed('k')), first)
  })
})
