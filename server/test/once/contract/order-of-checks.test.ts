import { BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pauseWorkspace } from '../../../src/accounts/workspaces.ts'
import { apiAt } from '../../api.ts'
import { eachTested } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'

/** Hosted, so that workspaces can be paused, and with one read a minute, so that the limit is soon reached. */
let own: OwnService

beforeAll(async () => {
  own = await ownService({ HOSTED: 'true', RATE_LIMIT_READS: '1' })
})

afterAll(() => own.stop())

function pause({ runtime, slug }: TestWorkspace) {
  return pauseWorkspace(runtime, slug)
}

function bodyOver(bytes: number): string {
  return JSON.stringify({ name: 'x'.repeat(bytes) })
}

describe('3. Order of checks: of two problems the earlier is reported', () => {
  it('route (404) before token (401)', async () => {
    const bare = apiAt(own.url, '')
    for (const [method, path] of [
      ['GET', '/Nothing'],
      ['GET', '/projects/one/two'],
      ['POST', '/companies/one/two'],
      ['GET', `/custom-fields/${NOWHERE}`],
    ] as const) {
      const answer = await bare.send(method, path)
      expect(answer.status).toBe(404)
      expect(Object.keys(answer.body)).toEqual(['message'])
    }
  })

  it('an unknown address is 404 whatever its body is', async () => {
    const bare = apiAt(own.url, '')
    for (const body of ['{"name": ', '[]', '\u0000', bodyOver(BODY_MAX_BYTES)]) {
      expect((await bare.send('POST', '/Nothing', body)).status).toBe(404)
    }
  })

  it('route (405) before token (401)', async () => {
    const bare = apiAt(own.url, '')
    expect((await bare.send('PUT', '/companies', bodyOver(BODY_MAX_BYTES))).status).toBe(405)
    expect((await bare.get('/companies/upsert')).status).toBe(405)
    expect((await bare.post('/user', {})).status).toBe(405)
  })

  it('token (401) before rate limit (429)', async () => {
    const workspace = await own.workspace()
    const token = await workspace.token()
    expect((await token.get('/companies')).status).toBe(200)
    expect((await token.get('/companies')).status).toBe(429)
    await workspace.revoke(token.id)
    expect((await token.get('/companies')).status).toBe(401)
  })

  it('rate limit (429) before workspace membership (403)', async () => {
    const workspace = await own.workspace()
    const user = await workspace.member('member')
    const token = await workspace.token({ user })
    await workspace.remove(user)
    expect((await token.get('/companies')).status).toBe(403)
    expect((await token.get('/companies')).status).toBe(429)
  })

  it('rate limit (429) before ability (403), subscription (402), size (413), record (404) and parameters (422)', async () => {
    const workspace = await own.workspace()
    const token = await workspace.token({ abilities: ['create'] })
    expect((await token.get('/companies')).status).toBe(403)
    await pause(workspace)
    expect((await token.send('POST', '/companies/query', bodyOver(QUERY_BODY_MAX_BYTES))).status).toBe(429)
    expect((await token.get(`/companies/${NOWHERE}?include=nothing`)).status).toBe(429)
  })

  it('workspace membership (403) before ability (403)', async () => {
    const workspace = await own.workspace()
    const user = await workspace.member('viewer')
    const token = await workspace.token({ user, abilities: ['read'] })
    expect((await token.post('/companies', {})).body.message).toContain('create')
    await workspace.remove(user)
    const answer = await token.post('/companies', {})
    expect(answer.status).toBe(403)
    expect(answer.body.message).toMatch(/no longer/)
    expect(answer.body.message).not.toContain('create')
  })

  it('ability (403) before role (403)', async () => {
    const workspace = await own.workspace()
    const user = await workspace.member('viewer')
    const lacking = await workspace.token({ user, abilities: ['read', 'update'] })
    const answer = await lacking.post('/companies', {})
    expect(answer.status).toBe(403)
    expect(answer.body.message).toContain('"create"')
    expect(answer.body.message).not.toContain('viewer')
  })

  it('membership, ability and role (403) before subscription (402)', async () => {
    const workspace = await own.workspace()
    const [left, viewer] = [await workspace.member('member'), await workspace.member('viewer')]
    const tokens = [
      await workspace.token({ user: left }),
      await workspace.token({ abilities: ['read'] }),
      await workspace.token({ user: viewer }),
    ]
    await workspace.remove(left)
    await pause(workspace)
    for (const token of tokens) expect((await token.post('/companies', { name: 'x' })).status).toBe(403)
    expect((await workspace.api.post('/companies', { name: 'x' })).status).toBe(402)
  })

  it('subscription (402) before size (413)', async () => {
    const workspace = await own.workspace()
    await pause(workspace)
    expect((await workspace.api.send('POST', '/companies', bodyOver(BODY_MAX_BYTES))).status).toBe(402)
    expect((await workspace.api.send('POST', '/companies/query', bodyOver(QUERY_BODY_MAX_BYTES))).status).toBe(402)
  })

  it('ability (403) before size (413)', async () => {
    const { token } = await workspaceWithOwn()
    const reader = await token({ abilities: ['read'] })
    expect((await reader.send('POST', '/companies', bodyOver(BODY_MAX_BYTES))).status).toBe(403)
  })

  it('size (413) before record (404)', async () => {
    const { api } = await workspaceWithOwn()
    for (const { type } of Object.values(registry)) {
      for (const method of ['PUT', 'PATCH']) {
        expect((await api.send(method, `/${type}/${NOWHERE}`, bodyOver(BODY_MAX_BYTES))).status).toBe(413)
      }
    }
  })

  it('size (413) before body and parameters (422)', async () => {
    const { api } = await workspaceWithOwn()
    const notJson = 'x'.repeat(BODY_MAX_BYTES + 1)
    const headers = { 'Content-Type': 'text/plain' }
    expect((await api.send('POST', '/companies?include=nothing', notJson, { headers })).status).toBe(413)
    expect((await api.send('POST', '/companies/query?page=2', notJson, { headers })).status).toBe(413)
  })

  it.each(testedResources)('record (404) before body and parameters (422): %s', async (type) => {
    const { api } = await workspaceWithOwn()
    for (const path of [`/${type}/${NOWHERE}`, `/${type}/not-an-id`]) {
      const answers = [
        await api.get(`${path}?include=nothing`),
        await api.delete(`${path}?force=1`),
        await api.put(path, { nothing: 1 }),
        await api.patch(`${path}?nothing=1`, {}),
        await api.send('PUT', path, '{"name": '),
        await api.send('PUT', path, '{}', { headers: { 'Content-Type': 'text/plain' } }),
        await api.send('PUT', path, '{}', { headers: { 'Content-Type': 'nonsense' } }),
        await api.send('PUT', path, new Uint8Array([0x7b, 0xff, 0x7d])),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(404)
        expect(Object.keys(answer.body)).toEqual(['message'])
      }
    }
  })

  it.each(eachTested)(
    'body and parameters (422) before upsert (409): %s',
    async (type, { label, references, links }) => {
      const { api, field, updateField } = await workspaceWithOwn()
      await field(type, { name: 'Key', type: 'text' })
      for (const name of ['One', 'Two']) await api.post(`/${type}`, { [label]: name, custom_fields: { key: 'same' } })
      await updateField(type, 'key', { unique: true })
      const match = { field: 'key', value: 'SAME' }
      const right = { match, [label]: 'Three' }
      expect((await api.post(`/${type}/upsert`, right)).status).toBe(409)
      expect((await api.post(`/${type}/upsert?include=nothing`, right)).body.errors).toHaveProperty('include')
      const wrong: Record<string, unknown>[] = [
        { match },
        { ...right, nothing: 1 },
        { ...right, custom_fields: { nothing: 1 } },
        ...Object.keys(references).map((key) => ({ ...right, [key]: NOWHERE })),
        ...Object.keys(links).map((key) => ({ ...right, [key]: [NOWHERE] })),
      ]
      for (const body of wrong) expect((await api.post(`/${type}/upsert`, body)).status).toBe(422)
    },
  )
})

describe('3. Order of checks: all problems of a request’s input are gathered into one 422', () => {
  it('of the query string, the body, references, custom fields and unique values together', async () => {
    const { api } = await workspaceWithOwn()
    await api.post('/people', { name: 'Ada', custom_fields: { emails: 'ada@example.com' } })
    const answer = await api.post('/people?include=nothing', {
      name: '',
      company_id: NOWHERE,
      nothing: 1,
      custom_fields: { emails: ['ADA@example.com'], phone_number: '12', unknown: 1 },
    })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors).sort()).toEqual([
      'company_id',
      'custom_fields',
      'custom_fields.emails',
      'custom_fields.phone_number.0',
      'include',
      'name',
      'nothing',
    ])
    const first = Object.values<string[]>(answer.body.errors)[0]?.[0]
    expect(answer.body.message).toBe(`${first} (and 6 more errors)`)
  })

  it('a single problem is reported without a count, two with one more', async () => {
    const { api } = await workspaceWithOwn()
    const one = await api.post('/companies', {})
    expect(one.body).toEqual({
      message: 'The name field is required.',
      errors: { name: ['The name field is required.'] },
    })
    const two = await api.post('/companies', { account_owner_id: 'nobody' })
    expect(two.body.message).toBe('The name field is required. (and 1 more error)')
  })
})
