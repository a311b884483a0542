import { refuse } from '@kith/contract/refusal'
import { answerAuthorize } from './authorize.ts'
import type { Settle } from './consent.ts'
import { asOAuthError } from './errors.ts'
import type { Grants } from './grants.ts'
import { answerRegister } from './register.ts'
import { asOAuthRequest } from './requests.ts'
import { answerRevoke } from './revoke.ts'
import { answerToken } from './token.ts'

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

/** What the endpoints stand on. */
export type OAuthSettings = {
  app_url: string
  /** What clients may call the MCP server. */
  resources: readonly string[]
  grants: Grants
}

/** One request of a client, and how to ask the library. */
export type Exchange = OAuthSettings & { request: Request; ask(request: Request): Promise<Response | undefined> }

const endpoints: Readonly<Record<string, (exchange: Exchange) => Promise<Response | undefined>>> = {
  authorize: answerAuthorize,
  token: answerToken,
  register: answerRegister,
  revoke: answerRevoke,
}

export function oauthOver(identify: Identify, settings: OAuthSettings): OAuth {
  const { app_url } = settings
  return {
    async handle(request, clientAddress) {
      const settled = await asOAuthRequest(request)
      if (!settled) return undefined
      const answer = endpoints[new URL(settled.url).pathname.split('/').at(-1) ?? '']
      const ask = async (sent: Request) => {
        const response = await identify(sent, clientAddress)
        return response.status >= 400 ? asOAuthError(response, sent) : response
      }
      return answer?.({ ...settings, request: settled, ask })
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
