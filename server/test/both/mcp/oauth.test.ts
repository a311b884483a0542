import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { authenticate } from '../../../src/accounts/authenticate.ts'
import { listConnections, removeConnection } from '../../../src/accounts/oauth/connections.ts'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import type { Session } from '../../../src/storage/engines/sql.ts'
import { apiAt } from '../../api.ts'
import { RETURNS_TO, signedIn } from '../../oauth-person.ts'
import { ageSpentTokens, letIn, oauthService, tokensByHand, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'
import { made } from '../../records.ts'
import { freePort } from '../../setup/postgres.ts'
import { startService } from '../../setup/service.ts'
import { connect } from '../../tool-client.ts'

let own: OwnService

beforeAll(async () => {
  own = await oauthService()
})

const all = ['read', 'create', 'update', 'delete']

describe('OAuth from discovery to a call', () => {
  it('a program without a token finds its way, and acts as the person in the workspace that was chosen', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { program, page, returned, call, names } = await letIn(own.url, person, {
      workspace: workspace.slug,
      abilities: ['read', 'create'],
    })
    expect(page.pathname).toBe('/oauth/consent')
    expect(await person.asked(page)).toEqual({
      client: { id: program.known?.client_id, name: 'Assistant', uri: null, returns_to: RETURNS_TO },
      abilities: all,
      preselected: all,
    })
    expect(returned.href.startsWith(`${RETURNS_TO}?code=`)).toBe(true)
    expect(program.kept).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read create offline_access' })
    expect(await call('whoami')).toMatchObject({
      user: { id: person.id },
      workspace: { slug: workspace.slug },
      abilities: ['read', 'create'],
    })
    expect(await names()).not.toContain('delete_record')
    const company = await call('create_record', { resource: 'companies', attributes: { name: 'Acme' } })
    expect(company.data.attributes.creation_source).toBe('mcp')
  })

  it('a token works on REST too, with the same abilities and the same buckets', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read', 'create'] })
    const api = apiAt(own.url, tokens.access_token)
    const { id, attributes } = await made(api, 'companies', { name: 'Acme' })
    expect(attributes.creation_source).toBe('api')
    const read = await api.get(`/companies/${id}`)
    expect([read.status, read.headers.get('X-RateLimit-Remaining')]).toEqual([200, '299'])
    const refused = await api.delete(`/companies/${id}`)
    expect([refused.status, refused.body.message]).toEqual([403, 'This access token lacks the "delete" ability.'])
    expect((await api.get('/user')).body.data.id).toBe(person.id)
    const token = (await api.get('/token')).body.data
    expect(token.id).toBe((await listConnections(await workspace.scope()))[0]?.id)
    expect(token.attributes.abilities).toEqual(['read', 'create'])
    expect(Date.parse(token.attributes.expires_at)).toBeGreaterThan(Date.now())
  })

  it('read-only is possible', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client, names, program } = await letIn(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    const { tools } = await (await connect(own.url, program.kept?.access_token ?? '')).client.listTools()
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    expect(await names()).not.toContain('create_record')
    // A call that needs more is refused with the scopes for which the program then asks.
    const call = { name: 'create_record', arguments: { resource: 'companies', attributes: { name: 'Acme' } } }
    await expect(client.callTool(call)).rejects.toThrow('403')
    const { status, headers } = await fetch(`${own.url}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${program.kept?.access_token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    })
    expect([status, headers.get('WWW-Authenticate')]).toEqual([
      403,
      `Bearer resource_metadata="${own.url}/.well-known/oauth-protected-resource/mcp", scope="read create", ` +
        'error="insufficient_scope"',
    ])
  })

  it.each([
    [['create'], 'read create'],
    [['create', 'delete'], 'read create delete'],
    [['upsert'], 'read create update'],
  ])('a batch of %j is refused with the scopes that its operations need', async (ops, scope) => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const operations = ops.map((op) => ({ op, resource: 'companies', id: workspace.id, data: { name: 'Acme' } }))
    const params = { name: 'batch_records', arguments: { operations } }
    // With none of the abilities, and with one of them.
    for (const abilities of [['read'], ['read', 'create']]) {
      const { tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities })
      const { status, headers } = await fetch(`${own.url}/mcp`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${tokens.access_token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      const isEnough = abilities.join(' ') === scope
      expect(status).toBe(isEnough ? 200 : 403)
      const challenge = headers.get('WWW-Authenticate')
      if (!isEnough) expect(challenge).toContain(`scope="${scope}", error="insufficient_scope"`)
    }
  })

  it('a role allows no more than it does elsewhere', async () => {
    const workspace = await own.workspace()
    const viewer = await signedIn(workspace, own.url, 'viewer')
    const { tokens } = await tokensByHand(own.url, viewer, { workspace: workspace.slug, abilities: all })
    expect((await apiAt(own.url, tokens.access_token).post('/companies', { name: 'Acme' })).status).toBe(403)
  })

  it('a token reaches the chosen workspace alone', async () => {
    const [one, other] = [await own.workspace(), await own.workspace()]
    const person = await signedIn(one, own.url)
    const { id } = await made(other.api, 'companies', { name: 'Elsewhere' })
    const { call, refused } = await letIn(own.url, person, { workspace: one.slug, abilities: all })
    expect((await call('list_records', { resource: 'companies' })).data).toEqual([])
    expect(await refused('get_record', { resource: 'companies', id })).toMatch(/^No company with the ID/)
  })

  it('one statement authenticates it', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    const { engine } = own.runtime
    const asked: string[] = []
    const session: Session = {
      dialect: engine.dialect,
      run(sql, parameters) {
        asked.push(sql)
        return engine.db.session.run(sql, parameters)
      },
    }
    const counted = { ...engine, short: { session } }
    const bearer = await authenticate(counted, `Bearer ${tokens.access_token}`, { now: new Date() })
    expect(bearer).toMatchObject({
      user_id: person.id,
      workspace_id: workspace.id,
      abilities: ['read'],
      role: 'member',
    })
    expect(asked).toHaveLength(1)
    const expired = authenticate(counted, `Bearer ${tokens.access_token}`, { now: new Date(Date.now() + 3_601_000) })
    await expect(expired).rejects.toThrow('Unauthenticated.')
  })

  it('tokens are kept as hashes alone', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: all })
    expect(tokens.access_token).toMatch(/^kitho_[0-9A-Za-z]{46}$/)
    for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens']) {
      const { rows } = await own.runtime.engine.db.session.run(`select * from ${table}`, [])
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toContain(tokens.access_token)
      expect(JSON.stringify(rows)).not.toContain(tokens.refresh_token)
    }
  })
})

describe('a refresh', () => {
  it('gives new tokens of the same connection, and the old refresh token is spent', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, {
      workspace: workspace.slug,
      abilities: ['read'],
    })
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const fresh = await tokensFor(own.url, form)
    expect(fresh).toMatchObject({ status: 200, scope: 'read offline_access' })
    expect(fresh.access_token).not.toBe(tokens.access_token)
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token)
    expect((await apiAt(own.url, fresh.access_token).get('/companies')).status).toBe(200)
    expect(await listConnections(await workspace.scope())).toHaveLength(1)
  })

  it('with a spent token ends the whole family: one of the two who hold it is a thief', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, {
      workspace: workspace.slug,
      abilities: ['read'],
    })
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const fresh = await tokensFor(own.url, form)
    await ageSpentTokens(own.runtime, 11)
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect((await apiAt(own.url, fresh.access_token).get('/companies')).status).toBe(401)
    const next = { ...form, refresh_token: fresh.refresh_token }
    expect(await tokensFor(own.url, next)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('may ask for less, and not for more', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, {
      workspace: workspace.slug,
      abilities: ['read', 'create'],
    })
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const more = await tokensFor(own.url, { ...form, scope: 'read delete' })
    expect(more).toMatchObject({ status: 400, error: 'invalid_scope' })
    const less = await tokensFor(own.url, { ...form, scope: 'read' })
    const api = apiAt(own.url, less.access_token)
    expect((await api.get('/companies')).status).toBe(200)
    expect((await api.post('/companies', { name: 'Acme' })).status).toBe(403)
  })

  it('for less keeps the refresh token and all of its scopes', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const grant = { workspace: workspace.slug, abilities: ['read', 'create'] }
    const { client_id, tokens } = await tokensByHand(own.url, person, grant)
    const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
      tokensFor(own.url, { grant_type: 'refresh_token', client_id, refresh_token, ...more })
    const less = await refresh(tokens.refresh_token, { scope: 'read' })
    expect(less).toMatchObject({ status: 200, scope: 'read offline_access' })
    const again = await refresh(less.refresh_token, { scope: 'read' })
    const whole = await refresh(again.refresh_token)
    expect(whole).toMatchObject({ status: 200, scope: 'read create offline_access' })
    expect((await apiAt(own.url, whole.access_token).post('/companies', { name: 'Acme' })).status).toBe(201)
  })
})

describe('a connection ends', () => {
  it('when it is revoked: the next request is refused, and so is the next refresh', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: all })
    const api = apiAt(own.url, tokens.access_token)
    expect((await api.get('/companies')).status).toBe(200)
    const list = `/w/${workspace.slug}/connections`
    // The use is written in the background: the request does not wait for it.
    await expect.poll(async () => (await person.browser.get(list)).body.data[0].last_used_at).not.toBeNull()
    const { body } = await person.browser.get(list)
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        client: { id: client_id, name: 'By hand', uri: null },
        user: { id: person.id, name: person.name, email: person.email },
        abilities: all,
        last_used_at: expect.any(String),
        created_at: expect.any(String),
      },
    ])
    expect((await person.browser.delete(`${list}/${body.data[0].id}`)).status).toBe(200)
    expect((await api.get('/companies')).status).toBe(401)
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect((await person.browser.get(list)).body.data).toEqual([])
    expect((await person.browser.delete(`${list}/${body.data[0].id}`)).status).toBe(404)
  })

  it('on every node of the installation', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const other = await startService({ ...own.env, PORT: String(await freePort()) })
    onTestFinished(() => void other.stop())
    const { tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    const api = apiAt(other.url, tokens.access_token)
    expect((await api.get('/companies')).status).toBe(200)
    const [connection] = await listConnections(await workspace.scope())
    await person.browser.delete(`/w/${workspace.slug}/connections/${connection?.id}`)
    expect((await api.get('/companies')).status).toBe(401)
  })

  it('and not with the session in which it was allowed', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, {
      workspace: workspace.slug,
      abilities: ['read'],
    })
    await person.browser.post('/sign-out')
    expect((await apiAt(own.url, tokens.access_token).get('/companies')).status).toBe(200)
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    expect((await tokensFor(own.url, form)).status).toBe(200)
  })

  it('when the program gives its refresh token back', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: all })
    const body = new URLSearchParams({ client_id, token: tokens.refresh_token, token_type_hint: 'refresh_token' })
    expect((await fetch(`${own.url}/api/auth/oauth2/revoke`, { method: 'POST', body })).status).toBe(200)
    expect((await apiAt(own.url, tokens.access_token).get('/companies')).status).toBe(401)
    expect(await listConnections(await workspace.scope())).toEqual([])
  })

  it('in effect when the person leaves the workspace, and a new role counts at once', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: all })
    const api = apiAt(own.url, tokens.access_token)
    await workspace.setRole(person, 'viewer')
    expect((await api.post('/companies', { name: 'Acme' })).body.message).toContain('viewer')
    await workspace.remove(person)
    const answer = await api.get('/companies')
    expect([answer.status, answer.body.message]).toEqual([
      403,
      "This access token's user is no longer a member of its workspace.",
    ])
  })

  it('and is ended by its user, owners and admins only', async () => {
    const workspace = await own.workspace()
    const [person, other] = [await signedIn(workspace, own.url), await signedIn(workspace, own.url)]
    await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    const asOther = await enterAsMember(own.runtime, workspace.slug, other.email)
    expect(await listConnections(asOther)).toEqual([])
    const [connection] = await listConnections(await workspace.scope())
    const id = connection?.id ?? ''
    await expect(removeConnection(asOther, id)).rejects.toThrow(`No connection with the ID ${id} exists`)
    const elsewhere = await (await own.workspace()).scope()
    await expect(removeConnection(elsewhere, id)).rejects.toThrow(`No connection with the ID ${id} exists`)
    await removeConnection(await workspace.scope(), id)
    expect(await listConnections(await workspace.scope())).toEqual([])
  })
})
