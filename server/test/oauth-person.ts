import { createHash } from 'node:crypto'
import type { Role } from '@kith/contract/abilities'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect } from 'vitest'
import { type Browser, signedInMember } from './browser.ts'
import { plainRequest } from './plain-http.ts'
import type { TestWorkspace } from './workspace.ts'

export const RETURNS_TO = 'http://127.0.0.1:4159/callback'

/** Somebody with a browser, signed in to the application. */
export type OAuthPerson = {
  id: string
  name: string
  email: string
  browser: Browser
  /** Where the browser is sent when it opens an address. */
  open(url: URL): Promise<URL>
  /** What the page shows that a program has sent the browser to. */
  asked(page: URL): Promise<{ client: Record<string, unknown>; abilities: string[]; preselected: string[] }>
  /** Answers it, and tells where the browser is sent then. */
  answer(page: URL, answer: Answer): Promise<URL>
}

export type Answer = { accept: boolean; workspace?: string; abilities?: string[] }

export async function signedIn(workspace: TestWorkspace, url: string, role: Role = 'member'): Promise<OAuthPerson> {
  const { browser, ...person } = await signedInMember(workspace, role, url)
  return {
    ...person,
    browser,
    async open(address) {
      // Not with fetch, which says that it is a script and no page.
      const headers = { Cookie: browser.cookie(), Accept: 'text/html' }
      const answer = await plainRequest(address.href, { headers })
      expect(answer.status, answer.text).toBe(302)
      return new URL(answer.headers.get('location') ?? '')
    },
    async asked(page) {
      const answer = await browser.get(`/oauth/consent${page.search}`)
      expect(answer.status, answer.text).toBe(200)
      return answer.body.data
    },
    async answer(page, answer) {
      const { status, text, body } = await browser.post('/oauth/consent', { query: page.search.slice(1), ...answer })
      expect(status, text).toBe(200)
      return new URL(body.data.url)
    },
  }
}

/** A program as the official client drives one. It keeps in memory what it learns. */
export class Program implements OAuthClientProvider {
  known: OAuthClientInformationMixed | undefined
  kept: OAuthTokens | undefined
  sentTo: URL | undefined
  #verifier = ''

  get redirectUrl() {
    return RETURNS_TO
  }

  get clientMetadata() {
    return {
      client_name: 'Assistant',
      redirect_uris: [RETURNS_TO],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  clientInformation() {
    return this.known
  }

  saveClientInformation(information: OAuthClientInformationMixed) {
    this.known = information
  }

  tokens() {
    return this.kept
  }

  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens
  }

  redirectToAuthorization(url: URL) {
    this.sentTo = url
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
