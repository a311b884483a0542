import { abilities } from '@kith/contract/abilities'
import { isObject, parseJson } from '@kith/contract/raw-input'
import { OFFLINE, scopes } from './plugin.ts'

/**
 * Rewrites a request for better-auth. Unknown scopes are removed and not refused, because many clients always request
 * those of OpenID.
 */
export async function asOAuthRequest(request: Request, endpoint: string): Promise<Request> {
  const url = new URL(request.url)
  if (endpoint === 'authorize') return new Request(withKnownScopes(url), request)
  const headers = new Headers(request.headers)
  // The session of the application must not influence what a client may register.
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

/** Every client may request everything; the user decides what it gets. */
function withAllScopes(body: string): string {
  const metadata = parseJson(body)
  return isObject(metadata) ? JSON.stringify({ ...metadata, scope: scopes.join(' ') }) : body
}
