import { abilities } from '@kith/contract/abilities'
import { refuseValue } from '@kith/contract/refusal'
import type { Settle } from './consent.ts'
import { endpoints } from './endpoints.ts'
import { asOAuthError } from './errors.ts'
import type { OAuthSettings } from './exchange.ts'
import { asOAuthRequest } from './requests.ts'

/** Passes a request to better-auth. */
type Identify = (request: Request, clientAddress: string) => Promise<Response>

/** What better-auth must know of the browser. */
type Browser = { cookie: string | undefined; address: string }

/** The authorization server, as clients and the application see it. */
export type OAuth = {
  /** Answers a request to one of the endpoints for clients; undefined if there is no such endpoint. */
  handle(request: Request, clientAddress: string): Promise<Response | undefined>
  /** The metadata of the authorization server (RFC 8414). */
  metadata(): Promise<Record<string, unknown>>
  /** Continues an authorization request after the user has consented or refused. */
  settle(browser: Browser): Settle
}

export function oauthOver(identify: Identify, settings: OAuthSettings): OAuth {
  const { app_url } = settings
  return {
    async handle(request, clientAddress) {
      const name = new URL(request.url).pathname.split('/').at(-1) ?? ''
      const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined
      if (!endpoint) return undefined
      const rewritten = await asOAuthRequest(request, name)
      const forward = async (sent: Request) => {
        const response = await identify(sent, clientAddress)
        return response.status >= 400 ? asOAuthError(response, sent) : response
      }
      return endpoint({ ...settings, request: rewritten, clientAddress, forward })
    },
    async metadata() {
      const url = `${app_url}/api/auth/.well-known/oauth-authorization-server`
      const response = await identify(new Request(url), '127.0.0.1')
      return publicMetadata(await response.json(), `${app_url}/api/auth`)
    },
    settle: (browser) => (decision) => settle(identify, consentRequest(app_url, browser, decision), browser.address),
  }
}

/**
 * Removes introspection, which only this service may do, and says that every client is public. Refresh tokens come
 * without a scope of their own. The issuer is set here because better-auth always writes https, but an installation
 * in a private network may use http.
 */
function publicMetadata(metadata: Record<string, unknown>, issuer: string): Record<string, unknown> {
  const { introspection_endpoint: _, introspection_endpoint_auth_methods_supported: __, ...rest } = metadata
  const none = ['none']
  return {
    ...rest,
    issuer,
    scopes_supported: abilities,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: metadata.issuer === issuer,
    revocation_endpoint_auth_methods_supported: none,
    token_endpoint_auth_methods_supported: none,
  }
}

function consentRequest(app_url: string, { cookie }: Browser, decision: Parameters<Settle>[0]): Request {
  const headers = new Headers({ 'Content-Type': 'application/json', Accept: 'application/json', Origin: app_url })
  if (cookie !== undefined) headers.set('Cookie', cookie)
  const body = JSON.stringify(decision)
  return new Request(`${app_url}/api/auth/oauth2/consent`, { method: 'POST', headers, body })
}

async function settle(identify: Identify, request: Request, address: string): Promise<string> {
  const response = await identify(request, address)
  const sent: { url?: unknown; error?: unknown } = await response.json()
  if (response.ok && typeof sent.url === 'string') return sent.url
  if (response.status >= 500) throw new Error(`better-auth answered the consent with ${response.status}.`)
  return refuseValue('query', 'The request of the program is no longer valid. Start again in the program.')
}
