import { beforeAll, describe, expect, it } from 'vitest'
import { expireOldRows } from '../../../src/runtime/retention.ts'
import { signedIn } from '../../oauth-person.ts'
import { oauthService, register, tokensByHand, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'
import { plainRequest } from '../../plain-http.ts'

const MCP_DOMAIN = 'mcp.example.com'
const scopes = ['read', 'create', 'update', 'delete']

let own: OwnService

beforeAll(async () => {
  own = await oauthService({ MCP_DOMAIN })
})

/** A request under any host, as a proxy would pass it on. */
function at(host: string | undefined, path: string, rest: Parameters<typeof plainRequest>[1] = {}) {
  const headers = { ...(host === undefined ? {} : { Host: host }), ...rest.headers }
  return plainRequest(own.url + path, { ...rest, headers })
}

describe('metadata for clients is on the same host, with and without the path', () => {
  it.each(['', '/mcp'])('the protected resource, below the application%s', async (suffix) => {
    const { status, headers, body } = await at(undefined, `/.well-known/oauth-protected-resource${suffix}`)
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(body).toEqual({
      resource: `${own.url}/mcp`,
      resource_name: 'Kith',
      authorization_servers: [`${own.url}/api/auth`],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_documentation: `${own.url}/docs`,
    })
  })

  it.each(['', '/mcp'])('the protected resource, on a domain of its own%s', async (suffix) => {
    const { body } = await at(MCP_DOMAIN, `/.well-known/oauth-protected-resource${suffix}`)
    expect(body).toMatchObject({
      resource: `https://${MCP_DOMAIN}${suffix}`,
      authorization_servers: [`${own.url}/api/auth`],
    })
  })

  it.each([undefined, MCP_DOMAIN])('the authorization server, at %s', async (host) => {
    for (const suffix of ['', '/mcp', '/api/auth']) {
      const { status, body } = await at(host, `/.well-known/oauth-authorization-server${suffix}`)
      expect(status).toBe(200)
      expect(body).toEqual({
        issuer: `${own.url}/api/auth`,
        authorization_endpoint: `${own.url}/api/auth/oauth2/authorize`,
        token_endpoint: `${own.url}/api/auth/oauth2/token`,
        registration_endpoint: `${own.url}/api/auth/oauth2/register`,
        revocation_endpoint: `${own.url}/api/auth/oauth2/revoke`,
        scopes_supported: scopes,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      })
    }
  })

  it('a client gets the address on the host that it called', async () => {
    const ask = async (host: string | undefined, path: string) => {
      const { status, headers } = await at(host, path, { method: 'POST', body: '{}' })
      expect(status).toBe(401)
      return headers.get('www-authenticate')
    }
    const told = (url: string) => `Bearer resource_metadata="${url}", scope="${scopes.join(' ')}"`
    const place = '/.well-known/oauth-protected-resource'
    expect(await ask(undefined, '/mcp')).toBe(told(`${own.url}${place}/mcp`))
    expect(await ask(MCP_DOMAIN, '/mcp')).toBe(told(`https://${MCP_DOMAIN}${place}/mcp`))
    expect(await ask(MCP_DOMAIN, '/')).toBe(told(`https://${MCP_DOMAIN}${place}`))
  })
})

describe('the MCP server on a domain of its own', () => {
  it('answers at its root and at /mcp, and has nothing else', async () => {
    const { api } = await own.workspace()
    const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' }
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    for (const path of ['/', '/mcp', '/mcp/']) {
      for (const origin of [undefined, `https://${MCP_DOMAIN}`]) {
        const sent = { ...headers, ...(origin === undefined ? {} : { Origin: origin }) }
        expect((await at(MCP_DOMAIN, path, { method: 'POST', headers: sent, body: message })).status).toBe(200)
      }
    }
    for (const path of [
      '/api/v1/companies',
      '/api/app/start',
      '/healthz',
      '/api/auth/oauth2/token',
      '/.well-known/x',
    ]) {
      expect((await at(MCP_DOMAIN, path, { headers })).status, path).toBe(404)
    }
  })

  it('is a resource for which tokens are given', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const { client_id, tokens } = await tokensByHand(own.url, person, {
      workspace: workspace.slug,
      abilities: ['read'],
    })
    const form = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token }
    expect(await tokensFor(own.url, { ...form, resource: 'https://other.example.com/mcp' })).toMatchObject({
      status: 400,
      error: 'invalid_target',
    })
    expect((await tokensFor(own.url, { ...form, resource: `https://${MCP_DOMAIN}/mcp` })).status).toBe(200)
  })
})

describe('what is kept', () => {
  it('expired tokens, and clients that no user has connected, are deleted', async () => {
    const workspace = await own.workspace()
    const person = await signedIn(workspace, own.url)
    const kept = await tokensByHand(own.url, person, { workspace: workspace.slug, abilities: ['read'] })
    const idle = await register(own.url)
    const { engine } = own.runtime
    const count = async (table: string, client: string) => {
      const marks = engine.dialect === 'sqlite' ? '?' : '$1'
      const { rows } = await engine.db.session.run(`select 1 from ${table} where client_id = ${marks}`, [client])
      return rows.length
    }
    await expireOldRows(engine, new Date())
    expect([await count('oauth_access_tokens', kept.client_id), await count('oauth_clients', idle.client_id)]).toEqual([
      1, 1,
    ])
    await expireOldRows(engine, new Date(Date.now() + 31 * 86_400_000))
    expect([
      await count('oauth_access_tokens', kept.client_id),
      await count('oauth_refresh_tokens', kept.client_id),
      await count('oauth_clients', kept.client_id),
      await count('oauth_clients', idle.client_id),
    ]).toEqual([0, 0, 1, 0])
  })

  it('connecting and disconnecting a program is in the audit log, and what it does has its name', async () => {
    const workspace = await own.workspace()
    const admin = await signedIn(workspace, own.url, 'admin')
    const { tokens } = await tokensByHand(own.url, admin, { workspace: workspace.slug, abilities: ['read', 'create'] })
    const made = await fetch(`${own.url}/api/v1/companies`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.access_token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Acme' }),
    })
    expect(made.status).toBe(201)
    const base = `/w/${workspace.slug}`
    const [connection] = (await admin.browser.get(`${base}/connections`)).body.data
    await admin.browser.delete(`${base}/connections/${connection.id}`)
    const { data } = (await admin.browser.get(`${base}/audit`)).body
    expect(data.slice(0, 3)).toMatchObject([
      { action: 'revoke', resource: 'tokens', record_id: connection.id, record_name: 'By hand', source: 'web' },
      { action: 'create', resource: 'companies', token: { id: connection.id, name: 'By hand' }, source: 'api' },
      { action: 'create', resource: 'tokens', record_id: connection.id, record_name: 'By hand', source: 'web' },
    ])
  })
})
