import type { IncomingMessage } from 'node:http'

/** Where the REST interface is found: below `/api` of the application, or on a domain of its own. */
export type Addresses = { apiDomain: string | undefined; trustProxy: boolean }

/** No route is called so; what is rewritten to it is not found. */
const NOWHERE = '/-'
const API_ROOT = '/api'

/**
 * The address by which the routes know a request. With a domain for the interface, `/v1` on it is what `/api/v1`
 * is elsewhere, and everything else of the two hosts stays apart.
 */
export function routedUrl(request: IncomingMessage, { apiDomain, trustProxy }: Addresses): string {
  const url = request.url ?? '/'
  if (apiDomain === undefined) return url
  const path = url.split('?', 1)[0] ?? url
  if (!isAt(apiDomain, hostOf(request, trustProxy)))
    return path === '/api/v1' || path.startsWith('/api/v1/') ? NOWHERE : url
  if (path === '/') return API_ROOT
  if (path === '/v1/openapi.json') return `${API_ROOT}/openapi.json`
  return path.startsWith('/v1/') ? `${API_ROOT}${url}` : NOWHERE
}

function hostOf(request: IncomingMessage, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? request.headers['x-forwarded-host'] : undefined
  const host = (Array.isArray(forwarded) ? forwarded[0] : forwarded) ?? request.headers.host
  // Of several, the last is the one that our own proxy wrote; Fastify makes the links of that one, too.
  return host?.split(',').at(-1)?.trim().toLowerCase()
}

/** A domain without a port is the same on every port. */
function isAt(domain: string, host: string | undefined): boolean {
  return host === domain || host?.replace(/:\d+$/, '') === domain
}
