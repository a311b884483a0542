import { beforeAll, describe, expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { challengeOf, RETURNS_TO, signedIn } from '../../oauth-person.ts'
import { ageSpentTokens, authorizeUrl, oauthService, register, tokensByHand, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'

let own: OwnService

beforeAll(async () => {
  own = await oauthService()
})

async function connected() {
  const workspace = await own.workspace()
  const person = await signedIn(workspace, own.url)
  return {
    workspace,
    person,
    ...(await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })),
  }
}

const statusOf = async (token: string) => (await apiAt(own.url, token).get('/companies')).status

function sent(endpoint: string, body: URLSearchParams | string, headers: Record<string, string> = {}) {
  return fetch(`${own.url}/api/auth/oauth2/${endpoint}`, { method: 'POST', body, headers })
}

describe('redirect URIs (RFC 8252)', () => {
  it.each([
    'file:///etc/passwd',
    'file://host/share',
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://example.com/x',
    'about:blank',
    'ftp://example.com/',
    'ms-msdt:/id',
    'http://example.com/callback',
    'http://127.0.0.1.example.com/',
    'https://user:password@example.com/',
    'callback',
  ])('%s is refused, also together with one that is accepted', async (uri) => {
    for (const redirect_uris of [[uri], [RETURNS_TO, uri]]) {
      expect(await register(own.url, { redirect_uris })).toMatchObject({ status: 400, error: 'invalid_redirect_uri' })
    }
  })

  it.each([
    'https://assistant.example.com/callback',
    'http://127.0.0.1:4159/callback',
    'http://[::1]:4159/callback',
    'http://localhost/callback',
    'com.example.app:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('%s is accepted', async (uri) => {
    expect((await register(own.url, { redirect_uris: [uri] })).status).toBe(201)
  })

  it('of a client that registered before are not used any more', async () => {
    const { client_id } = await register(own.url)
    const { dialect, run } = own.runtime.engine.single.session
    const [list, id] = dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2']
    const stored = JSON.stringify(['file:///tmp/x'])
    await run(`update oauth_clients set redirect_uris = ${list} where client_id = ${id}`, [stored, client_id])
    const pkce = { code_challenge: challengeOf('x'.repeat(43)), code_challenge_method: 'S256' }
    const url = authorizeUrl(own.url, { client_id, redirect_uri: 'file:///tmp/x', ...pkce })
    const answer = await fetch(url, { redirect: 'manual' })
    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_request'])
  })
})

describe('a code that is used again (RFC 6749, 4.1.2)', () => {
  it('is refused, and the tokens that it gave are revoked, with those that they were exchanged for', async () => {
    const { form, tokens, client_id } = await connected()
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const next = await tokensFor(own.url, refresh)
    expect(await statusOf(next.access_token)).toBe(200)
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect([await statusOf(tokens.access_token), await statusOf(next.access_token)]).toEqual([401, 401])
    const again = { ...refresh, refresh_token: next.refresh_token }
    expect(await tokensFor(own.url, again)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('gives tokens that work to none of two who send it at once', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id } = await register(own.url)
    const verifier = 'v'.repeat(43)
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
    const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
    const returned = await person.answer(page, { accept: true, workspace: workspace.slug, abilities: ['read'] })
    const code = returned.searchParams.get('code') ?? ''
    const rest = { client_id, code, redirect_uri: RETURNS_TO, code_verifier: verifier }
    const form = { grant_type: 'authorization_code', ...rest }
    const both = await Promise.all([tokensFor(own.url, form), tokensFor(own.url, form)])
    for (const { access_token } of both.filter(({ status }) => status === 200)) {
      expect(await statusOf(access_token)).toBe(401)
    }
    expect(both.filter(({ status }) => status === 200).length).toBeLessThan(2)
  })

  it('touches no tokens of another connection', async () => {
    const [one, other] = [await connected(), await connected()]
    await tokensFor(own.url, one.form)
    expect(await statusOf(other.tokens.access_token)).toBe(200)
  })
})

describe('answers with tokens', () => {
  it('are kept by no cache, and neither are errors', async () => {
    const { client_id, tokens } = await connected()
    const good = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token })
    for (const [body, status] of [
      [good, 200],
      [new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token: 'x' }), 400],
      [new URLSearchParams({}), 400],
    ] as const) {
      const answer = await sent('token', body)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('Cache-Control')).toBe('no-store')
      expect(answer.headers.get('Pragma')).toBe('no-cache')
    }
  })
})

describe('errors of the token endpoint (RFC 6749, 5.2)', () => {
  const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: RETURNS_TO, code_verifier: 'v'.repeat(43) }

  it.each([
    ['no grant_type', {}, 400, 'invalid_request'],
    ['an unknown grant_type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['client credentials', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['no code', { grant_type: 'authorization_code', redirect_uri: RETURNS_TO }, 400, 'invalid_request'],
    ['an unknown code', code, 400, 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
    ['a NUL character', { ...code, client_id: '\0' }, 400, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_grant'],
  ])('%s', async (_, form, status, error) => {
    const { client_id } = await register(own.url)
    expect(await tokensFor(own.url, { client_id, ...form })).toMatchObject({ status, error })
  })

  it('no client, and the tokens of another one', async () => {
    const { tokens } = await connected()
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_request' })
    const { client_id } = await register(own.url)
    expect(await tokensFor(own.url, { ...form, client_id })).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await statusOf(tokens.access_token)).toBe(200)
  })

  it('a code of another client, with another redirect URI, or with a wrong verifier', async () => {
    const { client_id: strange } = await register(own.url)
    for (const change of [
      { client_id: strange },
      { redirect_uri: 'http://127.0.0.1:4159/other' },
      { code_verifier: 'w'.repeat(43) },
    ]) {
      const workspace = await own.workspace()
      const person = await signedIn(workspace, own.url)
      const { client_id } = await register(own.url)
      const verifier = 'v'.repeat(43)
      const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
      const page = await person.open(authorizeUrl(own.url, { client_id, ...pkce }))
      const returned = await person.answer(page, { accept: true, workspace: workspace.slug, abilities: ['read'] })
      const form = { ...code, client_id, code: returned.searchParams.get('code') ?? '', code_verifier: verifier }
      expect(await tokensFor(own.url, { ...form, ...change })).toMatchObject({ status: 400, error: 'invalid_grant' })
    }
  })

  it('a form of more than 16 KB', async () => {
    const form = (bytes: number) => `grant_type=refresh_token&x=${'x'.repeat(bytes - 27)}`
    const large = await sent('token', new URLSearchParams(form(16 * 1024 + 1)))
    expect([large.status, (await large.json()).error]).toEqual([413, 'invalid_request'])
    expect((await sent('token', new URLSearchParams(form(16 * 1024)))).status).toBe(400)
  })

  it('a parameter that is given twice, and a body that is no form', async () => {
    const twice = await sent('token', new URLSearchParams('grant_type=refresh_token&client_id=a&client_id=b'))
    expect([twice.status, (await twice.json()).error]).toEqual([400, 'invalid_request'])
    const json = await sent('token', '{"grant_type":"refresh_token"}', { 'Content-Type': 'application/json' })
    expect([json.status, (await json.json()).error]).toEqual([400, 'invalid_request'])
  })
})

describe('resources (RFC 8707)', () => {
  it('that are not ours are refused with invalid_target', async () => {
    const { client_id, tokens, person } = await connected()
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const wrong = await tokensFor(own.url, { ...form, resource: 'https://other.example.com/mcp' })
    expect(wrong).toMatchObject({ status: 400, error: 'invalid_target' })
    const two = new URLSearchParams([...Object.entries(form), ['resource', `${own.url}/mcp`], ['resource', own.url]])
    expect((await sent('token', two)).status).toBe(200)
    const pkce = { code_challenge: challengeOf('v'.repeat(43)), code_challenge_method: 'S256' }
    const asked = { client_id, state: 's', ...pkce, resource: 'https://other.example.com/mcp' }
    const returned = await person.open(authorizeUrl(own.url, asked))
    expect(returned.href.startsWith(`${RETURNS_TO}?`)).toBe(true)
    expect(Object.fromEntries(returned.searchParams)).toMatchObject({ error: 'invalid_target', state: 's' })
    const page = await person.open(authorizeUrl(own.url, { ...asked, resource: `${own.url}/mcp` }))
    expect(page.pathname).toBe('/oauth/consent')
    const strange = await person.open(authorizeUrl(own.url, { ...asked, client_id: 'strange' }))
    expect(strange.searchParams.get('error_description')).toBe(
      'No client with the client_id strange is registered here.',
    )
  })
})

describe('revocation (RFC 7009)', () => {
  it('of a token that is unknown, of another client or revoked already is answered with 200', async () => {
    const { client_id, tokens } = await connected()
    const { client_id: strange } = await register(own.url)
    for (const [client, token] of [
      [client_id, 'unknown'],
      [strange, tokens.refresh_token],
    ] as const) {
      const answer = await sent('revoke', new URLSearchParams({ client_id: client, token }))
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    }
    expect(await statusOf(tokens.access_token)).toBe(200)
    for (let i = 0; i < 2; i++) {
      const body = new URLSearchParams({ client_id, token: tokens.refresh_token })
      expect((await sent('revoke', body)).status).toBe(200)
      expect(await statusOf(tokens.access_token)).toBe(401)
    }
    // Not even for as long as two refreshes may be sent at once.
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('heeds no hint: a wrong or unknown one keeps no token alive', async () => {
    for (const token_type_hint of ['refresh_token', 'access_token', 'something']) {
      const { client_id, tokens } = await connected()
      const body = new URLSearchParams({ client_id, token: tokens.access_token, token_type_hint })
      expect((await sent('revoke', body)).status).toBe(200)
      expect(await statusOf(tokens.access_token)).toBe(401)
    }
  })

  it('is not for tokens that people made, needs a token and a client', async () => {
    const { client_id } = await register(own.url)
    const { api } = await own.workspace()
    const errors = []
    for (const form of [
      { client_id, token: api.token },
      { client_id },
      { token: 'x' },
      { client_id: 'x', token: 'x' },
    ]) {
      const answer = await sent('revoke', new URLSearchParams(Object.entries(form)))
      errors.push([answer.status, (await answer.json()).error])
    }
    expect(errors).toEqual([
      [400, 'unsupported_token_type'],
      [400, 'invalid_request'],
      [401, 'invalid_client'],
      [401, 'invalid_client'],
    ])
    expect((await api.get('/companies')).status).toBe(200)
  })
})

describe('two refreshes with the same token', () => {
  it('at the same time both succeed, and so do their tokens', async () => {
    const { client_id, tokens } = await connected()
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const both = await Promise.all([tokensFor(own.url, form), tokensFor(own.url, form)])
    both.push(await tokensFor(own.url, form))
    for (const { status, access_token, refresh_token } of both) {
      expect(status).toBe(200)
      expect(await statusOf(access_token)).toBe(200)
      expect((await tokensFor(own.url, { ...form, refresh_token })).status).toBe(200)
    }
  })

  it('more than ten seconds apart end the whole family', async () => {
    const { client_id, tokens } = await connected()
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    const fresh = await tokensFor(own.url, form)
    await ageSpentTokens(own.runtime, 11)
    expect(await tokensFor(own.url, form)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await statusOf(fresh.access_token)).toBe(401)
    const next = { ...form, refresh_token: fresh.refresh_token }
    expect(await tokensFor(own.url, next)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })
})
