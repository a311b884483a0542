import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

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

/** Which proxies to trust: all callers, none, the last so many hops, or these addresses and networks. */
export type Trust = boolean | number | string[]

/** Whether the machine at an address is a trusted proxy. `hop` is 0 for the machine that connected to us. */
type TrustedProxy = (address: string | undefined, hop: number) => boolean

/** The networks that have names in `TRUST_PROXY`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** One rule for everything that a proxy forwards: addresses, host names and protocols. */
export function trustedProxy(trust: Trust): TrustedProxy {
  if (typeof trust === 'boolean') return () => trust
  if (typeof trust === 'number') return (_address, hop) => hop < trust
  const proxies = new BlockList()
  for (const network of trust.flatMap((one) => NAMED[one] ?? [one])) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    proxies.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return (address) => address !== undefined && isIP(address) !== 0 && proxies.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
