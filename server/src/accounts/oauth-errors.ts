/**
 * An error of the library in the form of OAuth: a code that programs know, and a description for whoever writes them. What the library's own
 * checks refuse it tells in another form. Undefined where there is no such endpoint at all.
 */
export async function asOAuthError(response: Response, path: string): Promise<Response | undefined> {
  const told = parsed(await response.text())
  if (!told && response.status === 404) return undefined
  const endpoint = path.split('/').at(-1) ?? ''
  const message = textOf(told?.error_description) ?? textOf(told?.message) ?? 'The request was refused.'
  const error = textOf(told?.error) ?? codeFor(response.status, endpoint, message)
  return oauthError(response.status, { error, message, headers: kept(response.headers) })
}

type Told = { error: string; message: string; headers?: Headers }

/** RFC 6749 takes neither quotes nor backslashes in a description. */
export function oauthError(status: number, { error, message, headers = new Headers() }: Told): Response {
  const error_description = message.replaceAll('"', "'").replace(/[^ -[\]-~]/g, '?')
  headers.set('Cache-Control', 'no-store')
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

/** When to come back, under the name that everybody knows. */
function kept(headers: Headers): Headers {
  const settled = new Headers()
  const wait = headers.get('X-Retry-After')
  if (wait !== null) settled.set('Retry-After', wait)
  const challenge = headers.get('WWW-Authenticate')
  if (challenge !== null) settled.set('WWW-Authenticate', challenge)
  return settled
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // An object, as was just seen; its keys are looked at one by one.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
