import { beforeAll, describe, expect, it } from 'vitest'
import { listConnections } from '../../../src/accounts/oauth/connections.ts'
import { apiAt } from '../../api.ts'
import { openBrowser } from '../../browser.ts'
import { challengeOf, RETURNS_TO, signedIn } from '../../oauth-person.ts'
import { authorizeUrl, oauthService, register, tokensByHand, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'

let own: OwnService

beforeAll(async () => {
  own = await oauthService()
})

const verifier = 'a-verifier-that-is-long-enough-for-anybody-to-accept'
const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }

describe('a client', () => {
  it('registers itself, public and with no secret, whatever it asked for', async () => {
    const client = await register(own.url, { token_endpoint_auth_method: 'client_secret_post', scope: 'openid email' })
    expect(client).toMatchObject({
      status: 201,
      token_endpoint_auth_method: 'none',
      scope: 'read create update delete offline_access',
    })
    expect(client).not.toHaveProperty('client_secret')
  })

  it('needs an address to return to that is safe', async () => {
    for (const redirect_uris of [[], ['javascript:alert(1)'], ['http://example.com/callback']]) {
      expect((await register(own.url, { redirect_uris })).status).toBe(400)
    }
  })

  it('needs PKCE, and S256 only', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id } = await register(own.url)
    const bare = await person.open(authorizeUrl(own.url, { client_id }))
    expect(bare.href.startsWith(RETURNS_TO)).toBe(true)
    expect(bare.searchParams.get('error')).toBe('invalid_request')
    const plain = authorizeUrl(own.url, { client_id, code_challenge: verifier, code_challenge_method: 'plain' })
    const headers = { Cookie: person.browser.cookie() }
    expect((await plainRequest(plain.href, { headers })).status).toBe(400)
    const { form, tokens } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    expect(tokens.status).toBe(200)
    const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
    // It named no scopes: everything can be granted, and reading is preselected.
    expect(await person.asked(page)).toMatchObject({
      abilities: ['read', 'create', 'update', 'delete'],
      preselected: ['read'],
    })
    const returned = await person.answer(page, { accept: true, workspace: workspace.slug, abilities: ['read'] })
    const code = returned.searchParams.get('code') ?? ''
    const wrong = { ...form, client_id, code, code_verifier: `${verifier}x` }
    expect(await tokensFor(own.url, wrong)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('gets tokens for a code once', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { form } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('is sent back to no address but its own', async () => {
    const person = await signedIn(await own.workspace(), own.url)
    const { client_id } = await register(own.url)
    const to = { client_id, redirect_uri: 'https://thief.example.com/', ...pkce }
    const sent = await person.open(authorizeUrl(own.url, to))
    expect(sent.origin + sent.pathname).toBe(`${own.url}/oauth/consent`)
    expect(sent.searchParams.get('error')).toBe('invalid_redirect')
  })

  it('that asks for scopes which do not exist here is asked about those that do', async () => {
    const person = await signedIn(await own.workspace(), own.url)
    const { client_id } = await register(own.url)
    const asked = async (scope: string) => {
      const page = await person.open(authorizeUrl(own.url, { client_id, scope, ...pkce }))
      return (await person.asked(page)).abilities
    }
    expect(await asked('openid read profile')).toEqual(['read'])
    expect(await asked('openid')).toEqual(['read', 'create', 'update', 'delete'])
  })

  it('finds no endpoints but those it needs', async () => {
    for (const path of ['consent', 'continue', 'introspect', 'create-client', 'get-clients', 'userinfo', 'nothing']) {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
      expect((await fetch(`${own.url}/api/auth/oauth2/${path}`, init)).status).toBe(404)
    }
  })
})

describe('a person', () => {
  it('is asked each time, and can say no', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id } = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    for (const prompt of [undefined, 'consent']) {
      const page = await person.open(
        authorizeUrl(own.url, { client_id, state: 's', ...pkce, ...(prompt ? { prompt } : {}) }),
      )
      expect(page.pathname).toBe('/oauth/consent')
      const returned = await person.answer(page, { accept: false })
      expect(Object.fromEntries(returned.searchParams)).toMatchObject({ error: 'access_denied', state: 's' })
    }
    const silent = await person.open(authorizeUrl(own.url, { client_id, ...pkce, prompt: 'none' }))
    expect(silent.searchParams.get('error')).toBe('consent_required')
  })

  it('a user who is signed out is sent to the same page, which reveals nothing', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id } = await register(own.url)
    const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
    expect((await openBrowser(own.url).get(`/oauth/consent${page.search}`)).status).toBe(401)
    const answer = { query: page.search.slice(1), accept: true, workspace: workspace.slug, abilities: ['read'] }
    expect((await openBrowser(own.url).post('/oauth/consent', answer)).status).toBe(401)
  })

  it('gives a workspace of their own and requested abilities, or gets the problem', async () => {
    const [workspace, foreign] = [await own.workspace(), await own.workspace()]
    const person = await signedIn(workspace, own.url)
    const { client_id } = await register(own.url)
    const page = await person.open(authorizeUrl(own.url, { client_id, scope: 'read', ...pkce }))
    const refusal = async (answer: object) => {
      const sent = { query: page.search.slice(1), accept: true, ...answer }
      const { status, body } = await person.browser.post('/oauth/consent', sent)
      expect(status).toBe(422)
      return body.errors
    }
    expect(await refusal({ workspace: foreign.slug, abilities: ['read', 'delete'] })).toEqual({
      workspace: [`You are not a member of a workspace ${foreign.slug}.`],
      abilities: ['The program did not ask for delete. It asked for read.'],
    })
    expect(await refusal({ workspace: workspace.slug, abilities: [] })).toHaveProperty('abilities')
    const forged = page.search.slice(1).replace('scope=read', 'scope=read+delete')
    const body = { query: forged, workspace: workspace.slug, abilities: ['read', 'delete'] }
    expect(await refusal(body)).toEqual({
      query: ['The request of the program is no longer valid. Start again in the program.'],
    })
    expect(await listConnections(await workspace.scope())).toEqual([])
  })

  it('has connected nothing until the program has fetched its tokens', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id } = await register(own.url)
    const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
    const returned = await person.answer(page, { accept: true, workspace: workspace.slug, abilities: ['read'] })
    expect(await listConnections(await workspace.scope())).toEqual([])
    const code = returned.searchParams.get('code') ?? ''
    const rest = { client_id, code, redirect_uri: RETURNS_TO, code_verifier: verifier }
    expect((await tokensFor(own.url, { grant_type: 'authorization_code', ...rest })).status).toBe(200)
    expect(await listConnections(await workspace.scope())).toHaveLength(1)
  })

  it('cannot be made to answer by a page of someone else', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id } = await register(own.url)
    const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
    const body = JSON.stringify({
      query: page.search.slice(1),
      accept: true,
      workspace: workspace.slug,
      abilities: ['read'],
    })
    const others: Record<string, string>[] = [{ 'X-Kith-App': '' }, { Origin: 'https://evil.example.com' }]
    for (const headers of others) {
      expect((await person.browser.send('POST', '/oauth/consent', body, { headers })).status).toBe(403)
    }
  })

  it('who lets the same program in again changes what it may do, at once', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const grant = { workspace: workspace.slug, abilities: ['read', 'create'] }
    const { client_id, tokens } = await tokensByHand(own.url, person, grant)
    const api = apiAt(own.url, tokens.access_token)
    expect((await api.post('/companies', { name: 'Acme' })).status).toBe(201)
    const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
    await person.answer(page, { accept: true, workspace: workspace.slug, abilities: ['read'] })
    expect((await api.post('/companies', { name: 'Acme' })).status).toBe(403)
    const connections = await listConnections(await workspace.scope())
    expect(connections.map(({ abilities }) => abilities)).toEqual([['read']])
  })
})
