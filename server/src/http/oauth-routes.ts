import { abilities } from '@kith/contract/abilities'
import { CLIENT_BODY_MAX_BYTES } from '@kith/contract/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { metadataProblem } from '../accounts/oauth/client-metadata.ts'
import { oauthError } from '../accounts/oauth/errors.ts'
import { MCP_PATH, type McpAddresses } from './mcp-addresses.ts'
import type { AppParts } from './parts.ts'
import { isAt } from './wire/addresses.ts'
import { readBodiesAsBytes } from './wire/body.ts'
import { asFetchRequest, sendResponse } from './wire/fetch-request.ts'
import { answerFailure } from './wire/send-answer.ts'

type OAuthParts = McpAddresses & Pick<AppParts, 'oauth' | 'spendRegistration' | 'isBusy' | 'logger'>

const REGISTER = '/api/auth/oauth2/register'
const PROTECTED = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'
/** Below the root, below the MCP server, and where the authorization server's own address puts it. */
const SERVER_SUFFIXES = ['', MCP_PATH, '/api/auth']

/** The metadata by which OAuth clients find the authorization server, and its endpoints. */
export function registerOAuth(app: FastifyInstance, parts: OAuthParts): void {
  readBodiesAsBytes(app)
  app.setErrorHandler((error, _request, reply) => sendOAuthFailure(reply, error, parts))
  for (const suffix of ['', MCP_PATH] as const) {
    registerMetadata(app, PROTECTED + suffix, async (request) => ({
      resource: resourceAt(request, suffix, parts),
      resource_name: 'Kith',
      authorization_servers: [(await parts.oauth.metadata()).issuer],
      scopes_supported: abilities,
      bearer_methods_supported: ['header'],
      resource_documentation: `${parts.app_url}/docs`,
    }))
  }
  for (const suffix of SERVER_SUFFIXES) registerMetadata(app, SERVER + suffix, () => parts.oauth.metadata())
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    // Fastify answers a media type that it cannot parse with an error of its own form.
    if (!MEDIA_TYPE.test(headers['content-type'] ?? 'a/a')) headers['content-type'] = 'application/octet-stream'
  })
  app.route({ method: ['GET', 'POST'], url: '/api/auth/oauth2/*', handler: handle })
  // Registration is open to everyone, so only small bodies are stored. The address is checked before the body.
  app.post(REGISTER, { bodyLimit: CLIENT_BODY_MAX_BYTES }, async (request, reply) => {
    await parts.spendRegistration(request.ip)
    const problem = metadataProblem(Buffer.isBuffer(request.body) ? request.body.toString() : '')
    if (problem === undefined) return handle(request, reply)
    return sendResponse(reply, oauthError(400, { error: 'invalid_client_metadata', message: problem }))
  })

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isPlain = PLAIN_PATH.test(request.url)
    const response = isPlain ? await parts.oauth.handle(asFetchRequest(request, parts.app_url), request.ip) : undefined
    if (!response) {
      reply.callNotFound()
      return reply
    }
    return sendResponse(reply, response)
  }
}

/** The library normalizes paths, so encoded dots and slashes could reach endpoints that are not for clients. */
const PLAIN_PATH = /^\/api\/auth\/oauth2\/[a-z]+(\?|$)/

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9.+-]+ *(;|$)/i

/** Errors outside and inside the library, in the form of its own errors. */
async function sendOAuthFailure(reply: FastifyReply, error: unknown, parts: OAuthParts): Promise<FastifyReply> {
  const { request } = reply
  const answer = await answerFailure(request, error, parts)
  if (answer.bug !== undefined)
    parts.logger.error({ request_id: request.id, bug: answer.bug }, 'A request failed inside.')
  const { message } = JSON.parse(answer.body ?? '{}')
  const code = codeFor(answer.status, request.routeOptions.url === REGISTER)
  const headers = new Headers(answer.headers)
  return sendResponse(reply, oauthError(answer.status, { error: code, message, headers }))
}

function codeFor(status: number, registering: boolean): string {
  if (status === 503 || status === 429) return 'temporarily_unavailable'
  if (status >= 500) return 'server_error'
  return registering ? 'invalid_client_metadata' : 'invalid_request'
}

/** On its own domain the MCP server is the whole host; below the application it has one address. */
function resourceAt(request: FastifyRequest, suffix: string, { app_url, mcp_domain }: McpAddresses): string {
  if (mcp_domain !== undefined && isAt(mcp_domain, request.host.toLowerCase())) return `https://${mcp_domain}${suffix}`
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
