import { abilities } from '@kith/contract/abilities'
import { OFFLINE, scopes } from './scopes.ts'

/** The endpoints of OAuth that clients use. Consent is given through the application, which knows the workspaces. */
const ENDPOINTS: ReadonlySet<string> = new Set(['authorize', 'token', 'register', 'revoke'])

/**
 * A request to the OAuth endpoints in the form in which the library takes it, or undefined where there is none for clients. Scopes that do not
 * exist here are left out rather than refused: many clients ask for those of OpenID whatever a server says.
 */
export async function asOAuthRequest(request: Request): Promise<Request | undefined> {
  const url = new URL(request.url)
  const endpoint = url.pathname.split('/').at(-1) ?? ''
  if (!ENDPOINTS.has(endpoint)) return undefined
  if (endpoint === 'authorize') return new Request(withKnownScopes(url), request)
  const headers = new Headers(request.headers)
  // Whoever is signed in to the application is of no matter here, and would change what a client may register as.
  headers.delete('cookie')
  const body = await request.text()
  const sent = endpoint === 'register' ? withoutScope(body) : body
  return new Request(url, { method: request.method, headers, body: sent === '' ? undefined : sent })
}

function withKnownScopes(url: URL): URL {
  const asked = new Set(url.searchParams.get('scope')?.split(' '))
  const known = abilities.filter((ability) => asked.has(ability))
  const settled = new URL(url)
  settled.searchParams.set('scope', [...(known.length > 0 ? known : abilities), OFFLINE].join(' '))
  return settled
}

/** Every client may ask for everything; what it gets is what a person grants. */
function withoutScope(body: string): string {
  try {
    const { scope: _, ...metadata } = JSON.parse(body)
    return JSON.stringify({ ...metadata, scope: scopes.join(' ') })
  } catch {
    return body
  }
}
