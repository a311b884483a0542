import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The addresses of the REST API and the MCP server: below the application, or on their own domains. */
type Addresses = { apiDomain: string | undefined; mcpDomain?: string | undefined; isProxy: TrustedProxy }

/** Requests with this URL get a 404, because no route has it. */
const NOWHERE = '/-'

const API_ROOT = '/api'

/**
 * The URL of a request for the router. With a domain for the API, `/v1` on it is routed to `/api/v1`, and the other
 * paths of each host are not available on the other one.
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
  return path.startsWith('/v1/') ? `${API_ROOT}${url}` : NOWHERE
}

/** Serves only the MCP server and the metadata with which clients get access to it. */
function onMcpDomain(path: string): string {
  if (path === '/' || path === '/mcp' || path === '/mcp/') return '/mcp'
  return path.startsWith('/.well-known/oauth-') ? path : NOWHERE
}

/** The requested host. A forwarded host counts only if a trusted proxy sent the request. */
function hostOf(request: IncomingMessage, isProxy: TrustedProxy): string | undefined {
  const forwarded = isProxy(request.socket.remoteAddress, 0) ? request.headers['x-forwarded-host'] : undefined
  const host = (Array.isArray(forwarded) ? forwarded[0] : forwarded) ?? request.headers.host
  // The last of several hosts is from our own proxy. Fastify uses the same one for links.
  return host?.split(',').at(-1)?.trim().toLowerCase()
}

/** A domain without a port matches every port. */
export function isAt(domain: string, host: string | undefined): boolean {
  return host === domain || host?.replace(/:\d+$/, '') === domain
}

/** The trusted proxies: all callers, none, a number of hops, or these addresses and networks. */
export type Trust = boolean | number | string[]

/** Whether the machine at an address is a trusted proxy. `hop` is 0 for the machine that connected to us. */
type TrustedProxy = (address: string | undefined, hop: number) => boolean

/** The networks with names in `TRUST_PROXY`. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** One rule for all forwarded values: addresses, host names and protocols. */
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

/** A request in the form of the Fetch API, for libraries. */
export function asFetchRequest(request: FastifyRequest, origin: string): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? new Uint8Array(request.body) : undefined
  return new Request(new URL(request.url, origin), { method: request.method, headers, body })
}

export async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) reply.header('set-cookie', cookies)
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
