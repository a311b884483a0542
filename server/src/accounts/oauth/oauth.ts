import { abilities } from '@kith/contract/abilities'
import { isObject, parseJson } from '@kith/contract/raw-input'
import { refuseValue } from '@kith/contract/refusal'
import { kindOfToken } from '../tokens.ts'
import { type ClientDocuments, isDocumentUrl } from './client-documents.ts'
import type { Grants } from './connections.ts'
import type { Settle } from './consent.ts'
import {
  asOAuthError,
  CONSENT_PATH,
  isRedirectUri,
  OFFLINE,
  oauthError,
  REDIRECTS_ACCEPTED,
  refusedTargetUrl,
  refuseTarget,
  scopes,
} from './plugin.ts'

/** Only this parameter may be repeated (RFC 8707, 2). */
const REPEATABLE = 'resource'

/** Passes a request to better-auth. */
type Identify = (request: Request, clientAddress: string) => Promise<Response>

/** The cookies and address of the browser, for better-auth. */
type Browser = { cookie: string | undefined; address: string }

/** The authorization server, as clients and the application see it. */
export type OAuth = {
  /** Answers a request to one of the endpoints for clients; undefined if the endpoint does not exist. */
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
 * Removes introspection, which only this service may use, and declares every client public. Lists only the abilities as
 * scopes: clients need not request one for refresh tokens. Sets the issuer, because better-auth always writes https and
 * an installation in a private network may use http.
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

/**
 * Rewrites a request for better-auth. Unknown scopes are removed and not refused, because many clients always request
 * those of OpenID.
 */
async function asOAuthRequest(request: Request, endpoint: string): Promise<Request> {
  const url = new URL(request.url)
  if (endpoint === 'authorize') return new Request(withKnownScopes(url), request)
  const headers = new Headers(request.headers)
  // The session of the application must not influence which clients can register.
  headers.delete('cookie')
  const body = await request.text()
  const sent = endpoint === 'register' ? withAllScopes(body) : body
  return new Request(url, { method: request.method, headers, body: sent === '' ? undefined : sent })
}

function withKnownScopes(url: URL): URL {
  const wanted = new Set(url.searchParams.get('scope')?.split(' '))
  const known = abilities.filter((ability) => wanted.has(ability))
  // A request without known scopes can be granted everything. The order tells the consent page that it named none.
  url.searchParams.set('scope', (known.length > 0 ? [...known, OFFLINE] : [OFFLINE, ...abilities]).join(' '))
  return url
}

/** Every client may request all scopes; the user decides which ones it gets. */
function withAllScopes(body: string): string {
  const metadata = parseJson(body)
  return isObject(metadata) ? JSON.stringify({ ...metadata, scope: scopes.join(' ') }) : body
}

/**
 * The endpoints for clients. Each checks and corrects the request and the response of better-auth. Consent is given in
 * the application, which knows the workspaces.
 */
const endpoints: Readonly<Record<string, (exchange: Exchange) => Promise<Response | undefined>>> = {
  authorize,
  token,
  register,
  revoke,
}

/** Redirects the browser to the consent page, or back to the client with an error. */
async function authorize(exchange: Exchange): Promise<Response | undefined> {
  const { request, forward, resources, app_url, documents, clientAddress } = exchange
  const url = new URL(request.url)
  const redirectUri = url.searchParams.get('redirect_uri')
  // The client may have registered before this kind of address was refused.
  if (redirectUri !== null && !isRedirectUri(redirectUri)) {
    return invalid(`The redirect_uri is not accepted. Accepted: ${REDIRECTS_ACCEPTED}.`)
  }
  const client_id = url.searchParams.get('client_id') ?? ''
  const caller = { address: clientAddress, cookie: request.headers.get('cookie') ?? undefined }
  const problem = isDocumentUrl(client_id) ? await documents.learn({ client_id, ...caller }) : undefined
  if (problem !== undefined) return redirect(problemUrl(app_url, problem))
  const response = namingClient(await forward(request), client_id)
  const wrong = !url.searchParams.getAll('resource').every((resource) => resources.includes(resource))
  const refused = wrong ? refusedTargetUrl(url, `${app_url}/api/auth`) : undefined
  return refused !== undefined && response && isConsentRedirect(response, app_url) ? redirect(refused) : response
}

/** better-auth says of an unknown client that its ID is missing. */
function namingClient(response: Response | undefined, client_id: string): Response | undefined {
  const url = URL.parse(response?.headers.get('Location') ?? '')
  if (url?.searchParams.get('error_description') !== 'client_id is required' || client_id === '') return response
  const named = client_id.replace(/[^ -~]/g, '?').slice(0, 100)
  url.searchParams.set('error_description', `No client with the client_id ${named} is registered here.`)
  return redirect(url.href)
}

/** Whether better-auth accepts the request and the client's redirect address, to which errors are sent. */
function isConsentRedirect(response: Response, app_url: string): boolean {
  const url = URL.parse(response.headers.get('Location') ?? '')
  return url?.origin === app_url && url.pathname === CONSENT_PATH && !url.searchParams.has('error')
}

/** The page that shows the problem to the user. No valid address of the client is known to which it could be sent. */
function problemUrl(app_url: string, problem: string): string {
  return `${app_url}${CONSENT_PATH}?${new URLSearchParams({ error: 'invalid_client', error_description: problem })}`
}

function redirect(url: string): Response {
  return new Response(null, { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' } })
}

/** Issues tokens for a code or a refresh token. */
async function token({ request, forward, grants, resources }: Exchange): Promise<Response | undefined> {
  const form = await readForm(request)
  if (form instanceof Response) return form
  if (!form.has('grant_type')) return invalid('The parameter grant_type is missing.')
  const wanted = form.getAll('resource')
  if (!wanted.every((resource) => resources.includes(resource))) return refuseTarget(resources)
  // better-auth accepts one value. All accepted names mean the same server.
  form.delete('resource')
  if (wanted[0] !== undefined) form.set('resource', wanted[0])
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const scope = isRefresh ? form.get('scope') : null
  // A client that asks for fewer abilities keeps its refresh token.
  if (scope !== null && !scope.split(' ').includes(OFFLINE)) form.set('scope', `${scope} ${OFFLINE}`)
  const exchange = () => forward(withForm(request, form))
  const code = form.get('grant_type') === 'authorization_code' ? form.get('code') : null
  const response = await (code === null ? exchange() : grants.useCode(code, exchange))
  if (scope !== null && response?.ok) await grants.keepScopes(form.get('refresh_token') ?? '', response)
  // Tokens must not be cached (RFC 6749, 5.1).
  response?.headers.set('Cache-Control', 'no-store')
  response?.headers.set('Pragma', 'no-cache')
  return response
}

/** Registers a client (RFC 7591). */
async function register({ request, forward }: Exchange): Promise<Response | undefined> {
  const wrong = redirectsIn(await request.clone().text()).find((uri) => !isRedirectUri(uri))
  if (wrong !== undefined) {
    const message = `A redirect URI is not accepted: ${String(wrong).slice(0, 100)}. Accepted: ${REDIRECTS_ACCEPTED}.`
    return oauthError(400, { error: 'invalid_redirect_uri', message })
  }
  const response = await forward(request)
  // better-auth sends 200 where RFC 7591 requires 201.
  return response?.status === 200 ? new Response(response.body, { status: 201, headers: response.headers }) : response
}

/** An empty list if the body is not JSON or has no list: better-auth refuses it. */
function redirectsIn(body: string): unknown[] {
  const sent = parseJson(body)
  if (!isObject(sent)) return []
  return [sent.redirect_uris, sent.post_logout_redirect_uris].flatMap((list) => (Array.isArray(list) ? list : []))
}

/** Revokes a token of a client (RFC 7009). The answer to an unknown or revoked token is 200. */
async function revoke({ request, forward, grants }: Exchange): Promise<Response | undefined> {
  const form = await readForm(request)
  if (form instanceof Response) return form
  const text = form.get('token')
  if (!text) return invalid('The parameter token is missing.')
  if (kindOfToken(text) === 'personal') {
    const message = 'Personal access tokens are revoked in the settings of their workspace.'
    return oauthError(400, { error: 'unsupported_token_type', message })
  }
  // A wrong hint must not keep a token alive (RFC 7009, 2.1), but better-auth trusts it.
  form.delete('token_type_hint')
  const clientId = form.get('client_id')
  if (clientId !== null) await grants.revoke(text, clientId)
  const response = await forward(withForm(request, form))
  // With a token and a client, 400 means that better-auth does not know the token.
  return response?.ok || response?.status === 400
    ? new Response(null, { headers: { 'Cache-Control': 'no-store' } })
    : response
}

type OAuthSettings = {
  app_url: string
  /** The names by which clients may refer to the MCP server. */
  resources: readonly string[]
  grants: Grants
  documents: ClientDocuments
}

/** One request of a client, and the function that passes requests to better-auth. */
type Exchange = OAuthSettings & {
  request: Request
  clientAddress: string
  forward(request: Request): Promise<Response | undefined>
}

/** The form in the body, or the error response that names its problem (RFC 6749, 3.2). */
async function readForm(request: Request): Promise<URLSearchParams | Response> {
  const type = request.headers.get('Content-Type') ?? ''
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) {
    return invalid('The body must be a form: Content-Type application/x-www-form-urlencoded.')
  }
  const form = new URLSearchParams(await request.clone().text())
  const names = [...form.keys()].filter((name) => name !== REPEATABLE)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) return invalid(`The parameter ${twice.slice(0, 50)} is given more than once.`)
  // PostgreSQL rejects NUL characters, even in a search.
  const broken = [...form].find(([, value]) => value.includes('\0'))
  return broken ? invalid(`The parameter ${broken[0].slice(0, 50)} contains a NUL character.`) : form
}

/** The same request with another form. */
function withForm(request: Request, form: URLSearchParams): Request {
  return new Request(request.url, { method: request.method, headers: request.headers, body: form.toString() })
}

function invalid(message: string): Response {
  return oauthError(400, { error: 'invalid_request', message })
}
