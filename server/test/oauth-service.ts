import { randomBytes } from 'node:crypto'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'vitest'
import type { Runtime } from '../src/scope/scope.ts'
import { challengeOf, type OAuthPerson, Program, RETURNS_TO } from './oauth-person.ts'
import { type OwnService, ownService } from './own-service.ts'
import { freePort } from './setup/postgres.ts'
import { type ToolClient, toolClient } from './tool-client.ts'

/** A service has to know its own address for OAuth. */
export async function oauthSettings(): Promise<Record<string, string>> {
  const PORT = String(await freePort())
  return { PORT, APP_URL: `http://127.0.0.1:${PORT}`, REGISTER_LIMIT_ADDRESS: '0', REGISTER_LIMIT_TOTAL: '0' }
}

export async function oauthService(settings: Readonly<Record<string, string>> = {}): Promise<OwnService> {
  const own = await ownService({ ...(await oauthSettings()), ...settings })
  // The library behind it is loaded by the first request, which may take longer than a test has.
  await fetch(`${own.url}/.well-known/oauth-authorization-server`)
  return own
}

/** Takes a program from its first refused call through a person's consent to its tokens, with the official client. */
export async function letIn(url: string, person: OAuthPerson, grant: Grant): Promise<LetIn> {
  const program = new Program()
  const server = new URL(`${url}/mcp`)
  const transport = new StreamableHTTPClientTransport(server, { authProvider: program })
  await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError)
  const page = await person.open(program.sentTo ?? new URL('nowhere:'))
  const returned = await person.answer(page, { accept: true, ...grant })
  await transport.finishAuth(returned.searchParams.get('code') ?? '')
  const client = newClient()
  await client.connect(new StreamableHTTPClientTransport(server, { authProvider: program }))
  return { ...toolClient(client), program, page, returned }
}

export type Grant = { workspace: string; abilities: string[] }

export type LetIn = ToolClient & { program: Program; page: URL; returned: URL }

function newClient(): Client {
  return new Client({ name: 'test', version: '1.0.0' })
}

export type Tokens = { status: number; access_token: string; refresh_token: string; scope: string; error?: string }

/** A program that speaks the protocol by hand, so that it can say what the official client never would. */
export async function register(url: string, metadata: object = {}): Promise<{ status: number; client_id: string }> {
  const response = await fetch(`${url}/api/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'By hand', redirect_uris: [RETURNS_TO], ...metadata }),
  })
  return { status: response.status, ...(await response.json()) }
}

export function authorizeUrl(url: string, parameters: Readonly<Record<string, string>>): URL {
  const address = new URL(`${url}/api/auth/oauth2/authorize`)
  address.search = new URLSearchParams({ response_type: 'code', redirect_uri: RETURNS_TO, ...parameters }).toString()
  return address
}

export async function tokensFor(url: string, form: Readonly<Record<string, string>>): Promise<Tokens> {
  const body = new URLSearchParams(form)
  const response = await fetch(`${url}/api/auth/oauth2/token`, { method: 'POST', body })
  return { status: response.status, ...(await response.json()) }
}

/** Makes it longer ago that refresh tokens were used. */
export async function ageSpentTokens({ engine }: Runtime, seconds: number): Promise<void> {
  const { dialect, run } = engine.single.session
  const since = new Date(Date.now() - seconds * 1000).toISOString()
  const place = dialect === 'sqlite' ? '?' : '$1'
  await run(`update oauth_refresh_tokens set revoked = ${place} where revoked is not null`, [since])
}

/** The whole way by hand: a client, a consent, tokens. */
export async function tokensByHand(url: string, person: OAuthPerson, grant: Grant, scope?: string) {
  const registered = await register(url)
  expect(registered).toMatchObject({ client_id: expect.any(String) })
  const { client_id } = registered
  const verifier = randomBytes(32).toString('base64url')
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  const asked = { client_id, state: 'xyz', ...pkce, ...(scope === undefined ? {} : { scope }) }
  const page = await person.open(authorizeUrl(url, asked))
  const returned = await person.answer(page, { accept: true, ...grant })
  expect(returned.searchParams.get('state')).toBe('xyz')
  const code = returned.searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id, code, redirect_uri: RETURNS_TO, code_verifier: verifier }
  return { client_id, code, form, tokens: await tokensFor(url, form) }
}
