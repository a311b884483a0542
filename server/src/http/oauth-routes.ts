import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OAuth } from '../accounts/oauth.ts'
import { scopes } from '../accounts/oauth-scopes.ts'
import { isAtMcpDomain, MCP_PATH, type McpAddresses } from './mcp-addresses.ts'
import { readBodiesAsBytes } from './sent-body.ts'
import { asWebRequest, sendResponse } from './web-request.ts'

export type OAuthParts = McpAddresses & { oauth: OAuth }

const PROTECTED = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'
/** Below the root, below the tool server, and where the authorization server's own address puts it. */
const SERVER_SUFFIXES = ['', MCP_PATH, '/api/auth']

/** How clients that people let in learn where to ask, and the endpoints at which they do. */
export function registerOAuth(app: FastifyInstance, parts: OAuthParts): void {
  readBodiesAsBytes(app)
  for (const suffix of ['', MCP_PATH] as const) {
    registerMetadata(app, PROTECTED + suffix, async (request) => ({
      resource: resourceAt(request, suffix, parts),
      resource_name: 'Kith',
      authorization_servers: [(await parts.oauth.metadata()).issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_documentation: `${parts.app_url}/docs`,
    }))
  }
  for (const suffix of SERVER_SUFFIXES) registerMetadata(app, SERVER + suffix, () => parts.oauth.metadata())
  app.route({
    method: ['GET', 'POST'],
    url: '/api/auth/oauth2/*',
    handler: async (request, reply) =>
      sendResponse(reply, await parts.oauth.handle(asWebRequest(request, parts.app_url), request.ip)),
  })
}

/** On its own domain the tool server is the whole host; below the application it has one address. */
function resourceAt(request: FastifyRequest, suffix: string, { app_url, mcp_domain }: McpAddresses): string {
  if (mcp_domain !== undefined && isAtMcpDomain(request, mcp_domain)) return `https://${mcp_domain}${suffix}`
  return app_url + MCP_PATH
}

/** Public, and read by clients in browsers too. */
function registerMetadata(
  app: FastifyInstance,
  url: string,
  read: (request: FastifyRequest) => Promise<Record<string, unknown>>,
): void {
  app.get(url, async (request, reply) => {
    const metadata = await read(request)
    return reply.headers({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-cache' }).send(metadata)
  })
}
