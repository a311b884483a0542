import { isObject, parseJson } from '@kith/contract/raw-input'
import { kindOfToken } from '../token-format.ts'
import { isDocumentUrl } from './client-documents.ts'
import { oauthError } from './errors.ts'
import { type Exchange, invalid, readForm, withForm } from './exchange.ts'
import { CONSENT_PATH } from './plugin.ts'
import { isRedirectUri, REDIRECTS_ACCEPTED } from './redirects.ts'
import { refusedTargetUrl, refuseTarget } from './targets.ts'

/**
 * The endpoints for clients: what they check and correct before and after better-auth handles the request. Consent is
 * given in the application, which knows the workspaces.
 */
export const endpoints: Readonly<Record<string, (exchange: Exchange) => Promise<Response | undefined>>> = {
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
  // The client may have registered before such addresses were refused.
  if (redirectUri !== null && !isRedirectUri(redirectUri)) {
    return invalid(`The redirect_uri is not accepted. Accepted: ${REDIRECTS_ACCEPTED}.`)
  }
  const client_id = url.searchParams.get('client_id') ?? ''
  const problem = isDocumentUrl(client_id) ? await documents.learn({ client_id, clientAddress }) : undefined
  if (problem !== undefined) return redirect(problemUrl(app_url, problem))
  const response = await forward(request)
  const wrong = !url.searchParams.getAll('resource').every((resource) => resources.includes(resource))
  const refused = wrong ? refusedTargetUrl(url, `${app_url}/api/auth`) : undefined
  return refused !== undefined && response && isConsentRedirect(response, app_url) ? redirect(refused) : response
}

/** Whether better-auth accepts the request, and with it the address to which errors are sent. */
function isConsentRedirect(response: Response, app_url: string): boolean {
  const url = URL.parse(response.headers.get('Location') ?? '')
  return url?.origin === app_url && url.pathname === CONSENT_PATH && !url.searchParams.has('error')
}

/** The page that shows the user what is wrong. No address of the client is known to which the error could be sent. */
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
  // better-auth takes one. All accepted names mean the same server.
  form.delete('resource')
  if (wanted[0] !== undefined) form.set('resource', wanted[0])
  const exchange = () => forward(withForm(request, form))
  const code = form.get('grant_type') === 'authorization_code' ? form.get('code') : null
  const response = await (code === null ? exchange() : grants.useCode(code, exchange))
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

/** better-auth refuses a body that is not JSON, or not a list. */
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
