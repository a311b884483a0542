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
  if (hostOf(request, trustProxy) !== apiDomain)
    return path === '/api/v1' || path.startsWith('/api/v1/') ? NOWHERE : url
  if (path === '/') return API_ROOT
  if (path === '/v1/openapi.json') return `${API_ROOT}/openapi.json`
  return path.startsWith('/v1/') ? `${API_ROOT}${url}` : NOWHERE
}

function hostOf(request: IncomingMessage, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? request.headers['x-forwarded-host'] : undefined
  const host = (Array.isArray(forwarded) ? forwarded[0] : forwarded) ?? request.headers.host
  return host?.split(',', 1)[0]?.trim().replace(/:\d+$/, '').toLowerCase()
}
