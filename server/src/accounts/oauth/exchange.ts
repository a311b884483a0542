import type { ClientDocuments } from './client-documents.ts'
import { oauthError } from './errors.ts'
import type { Grants } from './grants.ts'

export type OAuthSettings = {
  app_url: string
  /** The names by which clients may refer to the MCP server. */
  resources: readonly string[]
  grants: Grants
  documents: ClientDocuments
}

/** One request of a client, and the function that passes requests to better-auth. */
export type Exchange = OAuthSettings & {
  request: Request
  clientAddress: string
  forward(request: Request): Promise<Response | undefined>
}

/** Only this parameter may be repeated (RFC 8707, 2). */
const REPEATABLE = 'resource'

/** The form in the body, or the error that says what is wrong with it (RFC 6749, 3.2). */
export async function readForm(request: Request): Promise<URLSearchParams | Response> {
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
export function withForm(request: Request, form: URLSearchParams): Request {
  return new Request(request.url, { method: request.method, headers: request.headers, body: form.toString() })
}

export function invalid(message: string): Response {
  return oauthError(400, { error: 'invalid_request', message })
}
