import { isObject, parseJson } from '@kith/contract/raw-input'

/**
 * Converts an error of better-auth to the format of OAuth: a code and a description. Undefined if there is no such
 * endpoint.
 */
export async function asOAuthError(response: Response, request: Request): Promise<Response | undefined> {
  const sent = parseJson(await response.text())
  const body = isObject(sent) ? sent : undefined
  if (!body && response.status === 404) return undefined
  const endpoint = new URL(request.url).pathname.split('/').at(-1) ?? ''
  const message = textOf(body?.error_description) ?? textOf(body?.message) ?? 'The request was refused.'
  const error = RENAMED[message] ?? textOf(body?.error) ?? codeFor(response.status, endpoint, message)
  // Only the time to retry is kept, under its standard name.
  const wait = response.headers.get('X-Retry-After')
  const headers = new Headers(wait === null ? {} : { 'Retry-After': wait })
  const status = statusFor(response.status, error)
  // RFC 6749, 5.2: in the scheme that the client used.
  if (status === 401 && request.headers.has('Authorization')) headers.set('WWW-Authenticate', 'Basic realm="Kith"')
  return oauthError(status, { error, message, headers })
}

/** Errors, by description, for which better-auth uses other codes than RFC 6749 (5.2), 7636 (4.6) and 8707 (2). */
const RENAMED: Readonly<Record<string, string>> = {
  'invalid client_id': 'invalid_grant',
  'redirect_uri mismatch': 'invalid_grant',
  'code verification failed': 'invalid_grant',
  'missing user, user may have been deleted': 'invalid_grant',
  'session no longer exists': 'invalid_grant',
  'user not found': 'invalid_grant',
  'Missing required client_id': 'invalid_request',
  'Missing a required refresh_token for refresh_token grant': 'invalid_request',
  'requested resource invalid': 'invalid_target',
}

/** RFC 6749, 5.2: 401 for an unknown client, 400 for all other problems with the request. */
function statusFor(status: number, error: string): number {
  if (status === 429 || status >= 500) return status
  return error === 'invalid_client' ? 401 : 400
}

type OAuthProblem = { error: string; message: string; headers?: Headers }

/** RFC 6749 allows no quotes and backslashes in a description. */
export function oauthError(status: number, { error, message, headers = new Headers() }: OAuthProblem): Response {
  const error_description = message.replaceAll('"', "'").replace(/[^ -[\]-~]/g, '?')
  headers.set('Cache-Control', 'no-store')
  headers.set('Pragma', 'no-cache')
  return Response.json({ error, error_description }, { status, headers })
}

function codeFor(status: number, endpoint: string, message: string): string {
  if (status === 429) return 'temporarily_unavailable'
  if (status >= 500) return 'server_error'
  if (status === 401) return 'invalid_client'
  if (endpoint === 'register') {
    return message.includes('[body.redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  }
  if (message.includes('[body.grant_type]')) return 'unsupported_grant_type'
  return message.includes('[query.response_type]') ? 'unsupported_response_type' : 'invalid_request'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
