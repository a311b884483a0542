import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { findClient } from '../../../src/storage/tables/connections.ts'
import { type DocumentHost, documentHost } from '../../client-document.ts'
import { challengeOf, type OAuthPerson, RETURNS_TO, signedIn } from '../../oauth-person.ts'
import { authorizeUrl, oauthService, tokensFor } from '../../oauth-service.ts'
import type { OwnService } from '../../own-service.ts'
import { connect } from '../../tool-client.ts'
import type { TestWorkspace } from '../../workspace.ts'

let own: OwnService
let host: DocumentHost
let workspace: TestWorkspace
let person: OAuthPerson

beforeAll(async () => {
  own = await oauthService({ CLIENT_DOCUMENT_ALLOW_PRIVATE: '127.0.0.0/8', WEBHOOK_ALLOW_PRIVATE: '10.0.0.0/8,::1' })
  host = await documentHost()
  workspace = await own.workspace()
  person = await signedIn(workspace, own.url)
})

const verifier = randomBytes(32).toString('base64url')
const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }

function open(client_id: string, more: Readonly<Record<string, string>> = {}): Promise<URL> {
  return person.open(authorizeUrl(own.url, { client_id, ...pkce, ...more }))
}

/** What the page says is wrong. */
async function problemOf(client_id: string): Promise<string | null> {
  const page = await open(client_id)
  expect(page.origin + page.pathname).toBe(`${own.url}/oauth/consent`)
  return page.searchParams.get('error_description')
}

const stored = (clientId: string) => findClient(own.runtime.engine.db, clientId)

/** Makes it longer ago that the document of a client was read. */
async function ageDocument(clientId: string, minutes: number): Promise<void> {
  const { dialect, run } = own.runtime.engine.single.session
  const [at, id] = dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2']
  const since = new Date(Date.now() - minutes * 60_000).toISOString()
  await run(`update oauth_clients set created_at = ${at} where client_id = ${id}`, [since, clientId])
}

describe('a client whose ID is the URL of a document about it', () => {
  it('connects without a registration, and its document is read once', async () => {
    const client_id = host.clientId({ client_uri: 'https://example.com/', grant_types: ['authorization_code'] })
    const before = host.reads()
    const page = await open(client_id)
    expect(await person.asked(page)).toMatchObject({
      client: { id: client_id, name: 'Assistant', uri: 'https://example.com/', returns_to: RETURNS_TO },
    })
    const returned = await person.answer(page, { accept: true, workspace: workspace.slug, abilities: ['read'] })
    const code = returned.searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', client_id, redirect_uri: RETURNS_TO, code_verifier: verifier }
    const tokens = await tokensFor(own.url, { ...form, code })
    expect(tokens).toMatchObject({ status: 200, scope: 'read offline_access' })
    const { call } = await connect(own.url, tokens.access_token)
    expect(await call('whoami')).toMatchObject({ user: { id: person.id }, workspace: { slug: workspace.slug } })
    const { refresh_token } = tokens
    const refreshed = await tokensFor(own.url, { grant_type: 'refresh_token', client_id, refresh_token })
    expect(refreshed.status).toBe(200)
    expect((await open(client_id)).searchParams.has('error')).toBe(false)
    expect(host.reads()).toBe(before + 1)
  })

  it('can be new to two requests at once', async () => {
    const client_id = host.clientId()
    for (const page of await Promise.all([open(client_id), open(client_id)])) {
      expect((await person.asked(page)).client.id).toBe(client_id)
    }
  })

  it('is sent back to the addresses of its document only', async () => {
    const client_id = host.clientId({ redirect_uris: ['https://example.com/callback'] })
    for (const redirect_uri of ['https://example.com/callback/', 'https://example.com/callback?a', RETURNS_TO]) {
      expect((await open(client_id, { redirect_uri })).searchParams.get('error')).toBe('invalid_redirect')
    }
    const page = await open(client_id, { redirect_uri: 'https://example.com/callback' })
    expect(page.searchParams.has('error')).toBe(false)
  })

  it('is as its document was within the last hour', async () => {
    const client_id = host.clientId()
    await open(client_id)
    host.change(client_id, { client_name: 'Changed', redirect_uris: ['https://example.com/new'] })
    await ageDocument(client_id, 58)
    expect((await person.asked(await open(client_id))).client.name).toBe('Assistant')
    await ageDocument(client_id, 61)
    expect((await open(client_id)).searchParams.get('error')).toBe('invalid_redirect')
    const page = await open(client_id, { redirect_uri: 'https://example.com/new' })
    expect((await person.asked(page)).client.name).toBe('Changed')
  })

  it('is not known any more when its document is gone', async () => {
    let isGone = false
    const client_id: string = host.answering((response) => {
      const document = { client_id, redirect_uris: [RETURNS_TO] }
      response.writeHead(isGone ? 404 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
    })
    expect(await problemOf(client_id)).toBe(null)
    isGone = true
    await ageDocument(client_id, 61)
    expect(await problemOf(client_id)).toMatch(/must have the status 200/)
  })

  it.each([
    ['of another client', { client_id: 'https://example.com/client.json' }, /must be the URL of the document/],
    ['without addresses', { redirect_uris: [] }, /redirect_uris in the document must be a list of addresses/],
    ['with a script for an address', { redirect_uris: [RETURNS_TO, 'javascript:alert(1)'] }, /list of addresses/],
    ['with a way to sign in', { token_endpoint_auth_method: 'client_secret_basic' }, /must be none/],
    ['with a secret', { client_secret: 'secret' }, /must be none/],
    ['with a name that hides something', { client_name: 'Kith\u202egnp.exe' }, /direction marks/],
    ['with a NUL character', { client_name: 'a\0b' }, /control characters/],
    ['that is too large', { more: Array(9).fill('x'.repeat(1000)) }, /must have at most 8192 bytes/],
  ])('is refused with a document %s', async (_name, metadata, problem) => {
    const client_id = host.clientId(metadata)
    expect(await problemOf(client_id)).toMatch(problem)
    expect(await stored(client_id)).toBeUndefined()
  })

  const json = { 'Content-Type': 'application/json' }
  it.each([
    ['no JSON', (response: ServerResponse) => response.writeHead(200, json).end('{'), /must be a JSON object/],
    ['a list', (response: ServerResponse) => response.writeHead(200, json).end('[]'), /must be a JSON object/],
    ['a page', (response: ServerResponse) => response.writeHead(200).end('{}'), /media type application\/json/],
    ['cut off', (response: ServerResponse) => response.destroy(), /^The document at the client_id cannot be read\.$/],
  ])('is refused if the document is %s', async (_name, answer, problem) => {
    const client_id = host.answering(answer)
    expect(await problemOf(client_id)).toMatch(problem)
    expect(await stored(client_id)).toBeUndefined()
  })

  it('is refused if the document is in the network of the operator, also where webhooks may go', async () => {
    const before = host.reads()
    const { port } = host
    for (const place of [`localhost:${port}`, `[::1]:${port}`, '10.0.0.1', '169.254.169.254', new URL(own.url).host]) {
      for (const scheme of ['http', 'https']) {
        const problem = await problemOf(`${scheme}://${place}/client.json`)
        expect(problem).toBe('The document at the client_id cannot be read.')
      }
    }
    expect(host.reads()).toBe(before)
  })
})
