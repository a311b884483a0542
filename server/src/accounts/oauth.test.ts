import { describe, expect, it } from 'vitest'
import { oauthOver } from './oauth.ts'

/** What the library says of itself; of an address without https it writes one with it. */
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
    const { metadata } = oauthOver(async () => Response.json(said), app_url)
    expect(await metadata()).toEqual({
      issuer: `${app_url}/api/auth`,
      token_endpoint: said.token_endpoint,
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: told,
    })
  })
})

describe('the endpoints for clients', () => {
  it('are those that clients need; nothing else gets to the library', async () => {
    const reached: string[] = []
    const { handle } = oauthOver(async (request) => {
      reached.push(new URL(request.url).pathname)
      return Response.json({})
    }, 'https://crm.example.org')
    const at = (name: string) =>
      new Request(`https://crm.example.org/api/auth/oauth2/${name}`, { method: 'POST', body: '{}' })
    for (const name of ['token', 'register', 'revoke']) expect((await handle(at(name), '::1')).ok).toBe(true)
    for (const name of ['consent', 'introspect', 'userinfo']) expect((await handle(at(name), '::1')).status).toBe(404)
    expect(reached.map((path) => path.split('/').at(-1))).toEqual(['token', 'register', 'revoke'])
  })
})
