import { describe, expect, it } from 'vitest'
import { oauthOver } from './oauth.ts'

/** Codes and tokens are in the database; these tests know none. */
const grants = {
  useCode: (_code: string, exchange: () => Promise<Response | undefined>) => exchange(),
  revoke: async () => {},
  keepScopes: async () => {},
}
const documents = { learn: async () => undefined }
const settings = (app_url: string) => ({ app_url, resources: [app_url], grants, documents })
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** The metadata of better-auth, which always writes https. */
const said = {
  issuer: 'https://crm.example.org:8080/api/auth',
  token_endpoint: 'http://crm.example.org:8080/api/auth/oauth2/token',
  introspection_endpoint: 'http://crm.example.org:8080/api/auth/oauth2/introspect',
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
}

describe('the metadata of the authorization server', () => {
  it.each([
    ['http://crm.example.org:8080', false],
    ['https://crm.example.org:8080', true],
  ])('at %s names the address at which it can be reached', async (app_url, told) => {
    const { metadata } = oauthOver(async () => Response.json(said), settings(app_url))
    expect(await metadata()).toEqual({
      issuer: `${app_url}/api/auth`,
      token_endpoint: said.token_endpoint,
      scopes_supported: ['read', 'create', 'update', 'delete'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: told,
      client_id_metadata_document_supported: true,
    })
  })
})

describe('the endpoints for clients', () => {
  it('are those that clients need; nothing else gets to the library', async () => {
    const reached: string[] = []
    const { handle } = oauthOver(async (request) => {
      reached.push(new URL(request.url).pathname)
      return Response.json({})
    }, settings('https://crm.example.org'))
    const at = (name: string) =>
      new Request(`https://crm.example.org/api/auth/oauth2/${name}`, {
        method: 'POST',
        headers: form,
        body: 'grant_type=refresh_token&token=x',
      })
    for (const name of ['token', 'register', 'revoke']) expect((await handle(at(name), '::1'))?.ok).toBe(true)
    for (const name of ['consent', 'introspect', 'userinfo']) expect(await handle(at(name), '::1')).toBeUndefined()
    expect(reached.map((path) => path.split('/').at(-1))).toEqual(['token', 'register', 'revoke'])
  })
})

describe('what is wrong with a request', () => {
  it.each([
    [
      'token',
      400,
      { message: '[body.grant_type] Invalid "x"', code: 'VALIDATION_ERROR' },
      'unsupported_grant_type',
      400,
    ],
    ['register', 400, { message: '[body.redirect_uris.0] Invalid URL' }, 'invalid_redirect_uri', 400],
    ['register', 400, { message: '[body.contacts] Too small' }, 'invalid_client_metadata', 400],
    ['authorize', 400, { message: '[query.response_type] Invalid input' }, 'unsupported_response_type', 400],
    ['token', 401, { error: 'invalid_grant', error_description: 'invalid code' }, 'invalid_grant', 400],
    ['token', 401, { error: 'invalid_request', error_description: 'code verification failed' }, 'invalid_grant', 400],
    ['token', 400, { error: 'invalid_request', error_description: 'redirect_uri mismatch' }, 'invalid_grant', 400],
    ['token', 401, { error: 'invalid_client', error_description: 'invalid client_id' }, 'invalid_grant', 400],
    ['token', 400, { error: 'invalid_client', error_description: 'missing client' }, 'invalid_client', 401],
    ['token', 400, { error: 'invalid_grant', error_description: 'Missing required client_id' }, 'invalid_request', 400],
    ['revoke', 401, { message: 'Unauthorized' }, 'invalid_client', 401],
    ['token', 429, { message: 'Too many requests.' }, 'temporarily_unavailable', 429],
  ])('at %s (%i) is told with a code of OAuth: %j → %s', async (...[endpoint, status, body, error, told]) => {
    const headers = status === 429 ? { 'X-Retry-After': '7' } : undefined
    const { handle } = oauthOver(async () => Response.json(body, { status, headers }), settings('https://x'))
    const sent = { method: 'POST', headers: form, body: 'grant_type=x&token=x' }
    const response = await handle(new Request(`https://x/api/auth/oauth2/${endpoint}`, sent), '::1')
    expect(response?.status).toBe(told)
    expect(response?.headers.get('Retry-After')).toBe(status === 429 ? '7' : null)
    expect(await response?.json()).toEqual({ error, error_description: expect.stringMatching(/^[^"\\]+$/) })
  })

  it('that goes to no endpoint is not answered here', async () => {
    const { handle } = oauthOver(async () => new Response(null, { status: 404 }), settings('https://x'))
    expect(await handle(new Request('https://x/api/auth/oauth2/authorize'), '::1')).toBeUndefined()
  })
})
