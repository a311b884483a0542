import { type Ability, abilities, roles } from '@kith/contract/abilities'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

type Call = {
  name: string
  resource?: Resource
  needs: readonly Ability[]
  ok: number
  send(api: Api, id: string): ReturnType<Api['get']>
}

/** Every endpoint of a resource, with a request that is right in all other respects. */
function callsOf({ type, label }: Resource): Call[] {
  const body = { [label]: 'Named' }
  return [
    { name: `GET /${type}`, needs: ['read'], ok: 200, send: (api) => api.get(`/${type}`) },
    { name: `POST /${type}/query`, needs: ['read'], ok: 200, send: (api) => api.post(`/${type}/query`, {}) },
    { name: `POST /${type}/summary`, needs: ['read'], ok: 200, send: (api) => api.post(`/${type}/summary`, {}) },
    { name: `POST /${type}`, needs: ['create'], ok: 201, send: (api) => api.post(`/${type}`, body) },
    { name: `GET /${type}/{id}`, needs: ['read'], ok: 200, send: (api, id) => api.get(`/${type}/${id}`) },
    { name: `PUT /${type}/{id}`, needs: ['update'], ok: 200, send: (api, id) => api.put(`/${type}/${id}`, body) },
    { name: `PATCH /${type}/{id}`, needs: ['update'], ok: 200, send: (api, id) => api.patch(`/${type}/${id}`, body) },
    { name: `DELETE /${type}/{id}`, needs: ['delete'], ok: 204, send: (api, id) => api.delete(`/${type}/${id}`) },
    { name: `POST /${type}/upsert`, needs: ['create', 'update'], ok: 201, send: upsert },
  ]
  function upsert(api: Api) {
    return api.post(`/${type}/upsert`, { ...body, match: { field: 'key', value: 'one' } })
  }
}

const others: Call[] = ['/custom-fields', '/user'].map((path) => {
  return { name: `GET ${path}`, needs: ['read'], ok: 200, send: (api: Api) => api.get(path) }
})

const calls: Call[] = [
  ...Object.values(registry).flatMap((resource) => callsOf(resource).map((call) => ({ resource, ...call }))),
  ...others,
]

/** A workspace in which each resource has a unique text field, and one record of this resource. */
async function furnished(resource: Resource | undefined): Promise<{ workspace: TestWorkspace; id: string }> {
  const workspace = await newWorkspace()
  if (!resource) return { workspace, id: '' }
  await workspace.field(resource.type, { name: 'Key', type: 'text', unique: true })
  const made = await workspace.api.post(`/${resource.type}`, { [resource.label]: 'First' })
  return { workspace, id: made.body.data.id }
}

describe('5. Authentication: each request needs the ability matching its HTTP method', () => {
  it.each(calls.map((call) => [call.name, call] as const))('%s', async (_name, { resource, needs, ok, send }) => {
    const { workspace, id } = await furnished(resource)
    for (const lacking of needs) {
      const token = await workspace.token({ abilities: abilities.filter((ability) => ability !== lacking) })
      const answer = await send(token, id)
      expect(answer.status).toBe(403)
      expect(Object.keys(answer.body)).toEqual(['message'])
      expect(answer.body.message).toContain(`"${lacking}"`)
      for (const other of abilities) if (other !== lacking) expect(answer.body.message).not.toContain(`"${other}"`)
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.has('x-ratelimit-remaining')).toBe(true)
    }
    const token = await workspace.token({ abilities: needs })
    expect((await send(token, id)).status).toBe(ok)
  })

  it('an upsert needs both create and update, and says so when the token has neither', async () => {
    for (const resource of Object.values(registry)) {
      const { workspace } = await furnished(resource)
      const token = await workspace.token({ abilities: ['read', 'delete'] })
      const answer = await token.post(`/${resource.type}/upsert`, {})
      expect(answer.status).toBe(403)
      expect(answer.body.message).toMatch(/"create" and "update"/)
    }
  })

  it('an upsert needs both even when it would only update', async () => {
    const { api, token } = await newWorkspace()
    const body = { name: 'Acme', match: { field: 'domains', value: 'acme.com' } }
    expect((await api.post('/companies/upsert', body)).status).toBe(201)
    for (const only of ['create', 'update'] as const) {
      const answer = await (await token({ abilities: [only] })).post('/companies/upsert', body)
      expect(answer.status).toBe(403)
    }
  })

  it('a refused write has stored nothing', async () => {
    for (const resource of Object.values(registry)) {
      const { workspace, id } = await furnished(resource)
      const before = (await workspace.api.get(`/${resource.type}`)).text
      const reader = await workspace.token({ abilities: ['read'] })
      for (const { needs, send } of callsOf(resource)) {
        if (!needs.includes('read')) expect((await send(reader, id)).status).toBe(403)
      }
      expect((await workspace.api.get(`/${resource.type}`)).text).toBe(before)
    }
  })

  it('a record cannot be read through the answer to a write that was refused', async () => {
    const { api, token } = await newWorkspace()
    const made = await api.post('/companies', { name: 'Quiet' })
    const answer = await (await token({ abilities: ['create'] })).put(`/companies/${made.body.data.id}`, {})
    expect(answer.text).not.toContain('Quiet')
  })
})

describe('7. Roles: owner, admin, member, viewer. Token and role must both allow', () => {
  it.each(Object.values(registry).map((resource) => [resource.type, resource] as const))(
    'a viewer only reads: %s',
    async (type, resource) => {
      const { workspace, id } = await furnished(resource)
      const user = await workspace.member('viewer')
      const viewer = await workspace.token({ user })
      const before = (await workspace.api.get(`/${type}`)).text
      for (const { needs, ok, send } of callsOf(resource)) {
        const answer = await send(viewer, id)
        if (needs.includes('read')) expect(answer.status).toBe(ok)
        else {
          expect(answer.status).toBe(403)
          expect(Object.keys(answer.body)).toEqual(['message'])
          expect(answer.body.message).toContain('viewer')
          expect(answer.body.message).toContain(needs[0])
        }
      }
      expect((await workspace.api.get(`/${type}`)).text).toBe(before)
      for (const { send } of others) expect((await send(viewer, '')).status).toBe(200)
    },
  )

  it.each(roles.filter((role) => role !== 'viewer'))(
    'a token of an %s with every ability may do everything',
    async (role) => {
      for (const resource of Object.values(registry)) {
        const { workspace, id } = await furnished(resource)
        const token = await workspace.token({ user: await workspace.member(role) })
        const inOrder = callsOf(resource).toSorted((a, b) => Number(a.ok === 204) - Number(b.ok === 204))
        for (const { ok, send } of inOrder) expect((await send(token, id)).status).toBe(ok)
      }
    },
  )

  it('the ability is looked at before the role', async () => {
    const workspace = await newWorkspace()
    const user = await workspace.member('viewer')
    const token = await workspace.token({ user, abilities: ['read', 'update'] })
    expect((await token.post('/companies', { name: 'No' })).body.message).toContain('"create"')
  })
})
