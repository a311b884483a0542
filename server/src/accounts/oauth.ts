import { refuse } from '@kith/contract/refusal'
import type { Settle } from './consent.ts'
import { asOAuthError } from './oauth-errors.ts'
import { asOAuthRequest } from './oauth-requests.ts'

/** Answers a request in better-auth's own language. */
export type Identify = (request: Request, clientAddress: string) => Promise<Response>

/** A browser as the library must see it. */
export type Browser = { cookie: string | undefined; address: string }

/** The authorization server, as clients and the application see it. */
export type OAuth = {
  /** Answers a request to one of the endpoints that clients use; undefined where there is none. */
  handle(request: Request, clientAddress: string): Promise<Response | undefined>
  /** What clients must know of it, as RFC 8414 writes it. */
  metadata(): Promise<Record<string, unknown>>
  /** Goes on with what the person at the browser was asked. */
  settle(browser: Browser): Settle
}

export function oauthOver(identify: Identify, app_url: string): OAuth {
  return {
    async handle(request, clientAddress) {
      const settled = await asOAuthRequest(request)
      if (!settled) return undefined
      const response = await identify(settled, clientAddress)
      if (response.status >= 400) return asOAuthError(response, new URL(settled.url).pathname)
      // The library says 200 where RFC 7591 asks for 201.
      const registered = response.status === 200 && settled.url.endsWith('/register')
      return registered ? new Response(response.body, { status: 201, headers: response.headers }) : response
    },
    async metadata() {
      const url = `${app_url}/api/auth/.well-known/oauth-authorization-server`
      const response = await identify(new Request(url), '127.0.0.1')
      return publicMetadata(await response.json(), `${app_url}/api/auth`)
    },
    settle: (browser) => (answer) => settle(identify, app_url, browser, answer),
  }
}

/**
 * Nobody but this service looks into its tokens, and every client is public. On a network of its own an installation may have no
 * https; the library would name it as if it had, and no client could find it.
 */
function publicMetadata(metadata: Record<string, unknown>, issuer: string): Record<string, unknown> {
  const { introspection_endpoint: _, introspection_endpoint_auth_methods_supported: __, ...rest } = metadata
  const none = ['none']
  return {
    ...rest,
    issuer,
    authorization_response_iss_parameter_supported: metadata.issuer === issuer,
    revocation_endpoint_auth_methods_supported: none,
    token_endpoint_auth_methods_supported: none,
  }
}

async function settle(
  identify: Identify,
  app_url: string,
  { cookie, address }: Browser,
  answer: Parameters<Settle>[0],
): Promise<string> {
  const headers = new Headers({ 'Content-Type': 'application/json', Accept: 'application/json', Origin: app_url })
  if (cookie !== undefined) headers.set('Cookie', cookie)
  const body = JSON.stringify(answer)
  const request = new Request(`${app_url}/api/auth/oauth2/consent`, { method: 'POST', headers, body })
  const response = await identify(request, address)
  const settled: { url?: unknown; error?: unknown } = await response.json()
  if (response.ok && typeof settled.url === 'string') return settled.url
  if (response.status >= 500) throw new Error(`The consent failed inside with ${response.status}.`)
  return refuseStale()
}

function refuseStale(): never {
  const message = 'The request of the program is not valid any more. Start again from there.'
  refuse({ kind: 'invalid', issues: [{ path: 'query', message }] })
}
