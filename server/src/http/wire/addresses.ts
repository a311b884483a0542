import type { IncomingMessage } from 'node:http'
import type { TrustedProxy } from './trust.ts'

/** Where the REST API and the MCP server are found: below the application, or on their own domains. */
type Addresses = { apiDomain: string | undefined; mcpDomain?: string | undefined; isProxy: TrustedProxy }

/** No route is called so; what is rewritten to it is not found. */
const NOWHERE = '/-'
const API_ROOT = '/api'

/**
 * The address by which the routes know a request. With a domain for the API, `/v1` on it is what `/api/v1`
 * is elsewhere, and everything else of the two hosts stays apart.
 */
export function routedUrl(request: IncomingMessage, { apiDomain, mcpDomain, isProxy }: Addresses): string {
  const url = request.url ?? '/'
  const path = url.split('?', 1)[0] ?? url
  if (mcpDomain !== undefined && isAt(mcpDomain, hostOf(request, isProxy))) return onMcpDomain(path)
  if (path === '/mcp/') return '/mcp'
  if (apiDomain === undefined) return url
  if (!isAt(apiDomain, hostOf(request, isProxy)))
    return path === '/api/v1' || path.startsWith('/api/v1/') ? NOWHERE : url
  if (path === '/') return API_ROOT
  if (path === '/v1/openapi.json') return `${API_ROOT}/openapi.json`
  return path.startsWith('/v1/') ? `${API_ROOT}${url}` : NOWHERE
}

/** The MCP server itself, and what tells clients how to get access to it. */
function onMcpDomain(path: string): string {
  if (path === '/' || path === '/mcp' || path === '/mcp/') return '/mcp'
  return path.startsWith('/.well-known/oauth-') ? path : NOWHERE
}

/** The host that the caller asked for. A forwarded one counts only if a trusted proxy sent the request. */
function hostOf(request: IncomingMessage, isProxy: TrustedProxy): string | undefined {
  const forwarded = isProxy(request.socket.remoteAddress, 0) ? request.headers['x-forwarded-host'] : undefined
  const host = (Array.isArray(forwarded) ? forwarded[0] : forwarded) ?? request.headers.host
  // Of several, the last is the one that our own proxy wrote; Fastify makes the links of that one, too.
  return host?.split(',').at(-1)?.trim().toLowerCase()
}

/** A domain without a port is the same on every port. */
export function isAt(domain: string, host: string | undefined): boolean {
  return host === domain || host?.replace(/:\d+$/, '') === domain
}
