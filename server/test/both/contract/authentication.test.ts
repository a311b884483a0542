import { registry } from '@kith/contract/registry'
import { describe, expect, inject, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { newToken } from '../../../src/accounts/tokens.ts'
import { v1Routes } from '../../../src/http/v1/routes.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { addressed } from '../../addressed.ts'
import { type Answered, apiAt } from '../../api.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const SOME_ID = '01kacm7krp9mcrqeke4h6bxpg9'

function expectUnauthenticated(answer: Answered): void {
  expect(answer.status).toBe(401)
  expect(answer.body).toEqual({ message: 'Unauthenticated.' })
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  expect(answer.headers.get('x-request-id')).toMatch(/./)
  expect(answer.headers.has('x-ratelimit-limit')).toBe(false)
  expect(answer.headers.has('x-ratelimit-remaining')).toBe(false)
}

/** The last character of the checksum, changed. */
function mistyped(token: string): string {
  return token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')
}

function setExpiry({ runtime }: TestWorkspace, tokenId: string, expires_at: string) {
  return sql`update tokens set expires_at = ${expires_at} where id = ${tokenId}`.run(runtime.engine.single)
}

describe('5. Authentication: a missing or invalid token returns 401', () => {
  const headers: Record<string, (token: string) => Record<string, string>> = {
    'no Authorization header': () => ({}),
    'an empty header': () => ({ Authorization: '' }),
    'the scheme alone': () => ({ Authorization: 'Bearer' }),
    'the scheme and a space': () => ({ Authorization: 'Bearer ' }),
    'the token without its scheme': (token) => ({ Authorization: token }),
    'another scheme': (token) => ({ Authorization: `Basic ${btoa(`${token}:`)}` }),
    'the token under another scheme': (token) => ({ Authorization: `Token ${token}` }),
    'a text that is no token': () => ({ Authorization: 'Bearer secret' }),
    'the prefix alone': () => ({ Authorization: 'Bearer kith_' }),
    'a token of the right form that was never made': () => ({ Authorization: `Bearer ${newToken()}` }),
    'a token whose checksum is wrong': (token) => ({ Authorization: `Bearer ${mistyped(token)}` }),
    'a token with a character too few': (token) => ({ Authorization: `Bearer ${token.slice(0, -1)}` }),
    'a token with a character too many': (token) => ({ Authorization: `Bearer ${token}0` }),
    'a token in another letter case': (token) => ({ Authorization: `Bearer ${token.toLowerCase()}` }),
    'a token without its prefix': (token) => ({ Authorization: `Bearer ${token.slice('kith_'.length)}` }),
    'a token in quotes': (token) => ({ Authorization: `Bearer "${token}"` }),
    'two tokens': (token) => ({ Authorization: `Bearer ${token} ${token}` }),
    'a token with a comma behind it': (token) => ({ Authorization: `Bearer ${token},` }),
    'an overlong text': () => ({ Authorization: `Bearer kith_${'a'.repeat(5000)}` }),
    'letters beyond ASCII': () => ({ Authorization: 'Bearer kith_é' }),
    'a token in a header of its own': (token) => ({ 'X-Api-Key': token }),
  }

  it.each(Object.entries(headers))('%s', async (_name, made) => {
    const { api } = await newWorkspace()
    const bare = apiAt(inject('service').url, '')
    expectUnauthenticated(await bare.get('/companies', { headers: made(api.token) }))
  })

  it('a token in the address is none', async () => {
    const { api } = await newWorkspace()
    const bare = apiAt(inject('service').url, '')
    expectUnauthenticated(await bare.get(`/companies?access_token=${api.token}&token=${api.token}`))
  })

  it.each(v1Routes.map(({ method, path }) => [method, path]))(
    'every endpoint requires a token: %s %s',
    async (method, path) => {
      const bare = apiAt(inject('service').url, '')
      const body = method === 'GET' ? undefined : '{}'
      expectUnauthenticated(await bare.send(method, addressed(path, SOME_ID), body))
    },
  )

  it('a refused write has stored nothing', async () => {
    const { api } = await newWorkspace()
    const stranger = apiAt(inject('service').url, newToken())
    for (const { type, label } of Object.values(registry)) {
      expectUnauthenticated(await stranger.post(`/${type}`, { [label]: 'Not to be' }))
      expect((await api.get(`/${type}`)).body.meta.total).toBe(0)
    }
  })
})

describe('5. Authentication: the header `Authorization: Bearer <ACCESS_TOKEN>`', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme in any letter case: %s', async (scheme) => {
    const { api } = await newWorkspace()
    const answer = await api.get('/companies', { headers: { Authorization: `${scheme} ${api.token}` } })
    expect(answer.status).toBe(200)
  })

  it('takes several spaces behind the scheme', async () => {
    const { api } = await newWorkspace()
    expect((await api.get('/companies', { headers: { Authorization: `Bearer   ${api.token}` } })).status).toBe(200)
  })

  it('a token is bound to exactly one workspace; only that workspace’s records are visible', async () => {
    const [here, there] = await Promise.all([newWorkspace(), newWorkspace()])
    const mine = await here.api.post('/companies', { name: 'Here' })
    const theirs = await there.api.post('/companies', { name: 'There' })
    expect((await here.api.get('/companies')).body.data).toEqual([mine.body.data])
    expect((await there.api.get('/companies')).body.data).toEqual([theirs.body.data])
    expect((await here.api.get(`/companies/${theirs.body.data.id}`)).status).toBe(404)
  })
})

describe('7. Tokens: expiry, revoking, leaving the workspace and role changes take effect on the next request', () => {
  it('an expired token is 401, one that has not yet expired is not', async () => {
    const workspace = await newWorkspace()
    const token = await workspace.token()
    await setExpiry(workspace, token.id, new Date(Date.now() + 3_600_000).toISOString())
    expect((await token.get('/companies')).status).toBe(200)
    await setExpiry(workspace, token.id, new Date(Date.now() - 1).toISOString())
    expectUnauthenticated(await token.get('/companies'))
    expectUnauthenticated(await token.post('/companies', { name: 'Late' }))
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(0)
  })

  it('a revoked token is 401, the other tokens of its user still work', async () => {
    const workspace = await newWorkspace()
    const token = await workspace.token()
    expect((await token.get('/companies')).status).toBe(200)
    await workspace.revoke(token.id)
    expectUnauthenticated(await token.get('/companies'))
    expect((await workspace.api.get('/companies')).status).toBe(200)
  })

  it('a token whose user no longer belongs to its workspace is 403, and stays refused when the user is back', async () => {
    const workspace = await newWorkspace()
    const user = await workspace.member('member')
    const token = await workspace.token({ user })
    expect((await token.get('/companies')).status).toBe(200)
    await workspace.remove(user)
    for (const answer of [await token.get('/companies'), await token.post('/companies', { name: 'Gone' })]) {
      expect(answer.status).toBe(403)
      expect(Object.keys(answer.body)).toEqual(['message'])
      expect(answer.body.message).toMatch(/no longer .*member.* workspace/)
      expect(answer.headers.has('x-ratelimit-remaining')).toBe(true)
    }
    expect((await workspace.api.get('/companies')).body.meta.total).toBe(0)
    await addMember(await workspace.scope(), { email: user.email, role: 'member' })
    expectUnauthenticated(await token.get('/companies'))
  })

  it('leaving one workspace leaves the user’s tokens of another alone', async () => {
    const [left, kept] = await Promise.all([newWorkspace(), newWorkspace()])
    const user = await left.member('member')
    await addMember(await kept.scope(), { email: user.email, role: 'member' })
    const [leftToken, keptToken] = [await left.token({ user }), await kept.token({ user })]
    await left.remove(user)
    expect((await leftToken.get('/companies')).status).toBe(403)
    expect((await keptToken.get('/companies')).status).toBe(200)
  })

  it('a role change', async () => {
    const workspace = await newWorkspace()
    const user = await workspace.member('member')
    const token = await workspace.token({ user })
    expect((await token.post('/companies', { name: 'One' })).status).toBe(201)
    await workspace.setRole(user, 'viewer')
    expect((await token.post('/companies', { name: 'Two' })).status).toBe(403)
    expect((await token.get('/companies')).body.meta.total).toBe(1)
    await workspace.setRole(user, 'admin')
    expect((await token.post('/companies', { name: 'Three' })).status).toBe(201)
  })
})
