import { type Ability, abilities } from '@kith/contract/abilities'
import { BODY_MAX_BYTES } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit } from '../accounts/authenticate.ts'
import type { Bearer } from '../accounts/tokens.ts'
import { type Answer, answerError } from '../calls/answer.ts'
import type { Call, MessageCost } from '../calls/call.ts'
import type { AppParts } from './parts.ts'
import { payRequest } from './pay.ts'
import { addRoute } from './pipeline.ts'
import { registerOtherMethods } from './v1/register.ts'
import { isAt } from './wire/addresses.ts'
import { normalizeMediaType, readBodiesAsBytes, sentBody } from './wire/receive-bodies.ts'
import { disconnectCheck, sendAnswer } from './wire/send-answer.ts'

/** The MCP server: one message of the protocol for each request, and nothing kept in between. */
export function registerMcp(app: FastifyInstance, parts: AppParts): void {
  readBodiesAsBytes(app, parts)
  const wire = { ...parts, mediaType: 'application/json' }
  app.setErrorHandler(async (error, request, reply) => {
    const answer = answerError(error, await parts.isBusy(error), request.id)
    return sendAnswer(reply, inProtocol(withMetadata(answer, request, parts)), wire)
  })
  addRoute<McpCall>(
    app,
    { method: 'POST', url: MCP_PATH, bodyLimit: BODY_MAX_BYTES },
    {
      wire,
      admit: ({ request }) => authorize(request, parts),
      async pay({ request, reply }) {
        const bearer = bearerOf(request)
        const cost = parts.mcp.costOfMessage(textOf(request))
        const payment = await payRequest({ reply, bearer, limiter: parts.limiter }, { ...cost, isKeyed: false })
        if (bearer.connection) refuseMissingScopes(reply, { needed: cost, bearer, parts })
        return payment
      },
      call({ request }, payment) {
        const { hosted, app_url, now } = parts
        const facts = admit(bearerOf(request), { needed: [], source: 'mcp', hosted, app_url, now: now() })
        const asked = { body: textOf(request), headers: protocolHeaders(request), app_url }
        return { facts, request_id: request.id, lane: payment?.kind ?? 'read', surface: 'mcp', request: asked }
      },
      execute: (call, { request }) => parts.execute(call, disconnectCheck(request)),
      present: inProtocol,
    },
  )
  // There is no stream to listen to and no session to end.
  registerOtherMethods(app, { path: MCP_PATH, methods: ['POST'] })
}

/** The checks before the body is read. */
async function authorize(request: FastifyRequest, parts: AppParts): Promise<void> {
  const origin = headerOf(request, 'origin')
  if (origin !== undefined && !isOwnOrigin(origin, parts)) {
    refuse({ kind: 'forbidden', message: `Pages of ${origin.slice(0, 200)} may not call this MCP server.` })
  }
  const now = parts.now()
  const bearer = await parts.authenticate(request.headers.authorization, { now })
  request.caller = bearer
  request.bearer = bearer
  parts.noteUse(bearer, now)
  normalizeMediaType(request.raw)
}

type McpCall = Extract<Call, { surface: 'mcp' }>

function textOf(request: FastifyRequest): string {
  return sentBody(request).text ?? ''
}

function bearerOf({ bearer }: FastifyRequest): Bearer {
  if (!bearer) throw new Error('A request passed the checks without a bearer token.')
  return bearer
}

function protocolHeaders(request: FastifyRequest): Record<string, string> {
  const sent = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) => [name, headerOf(request, name)])
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined))
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Tells clients without a token where to get one, and for which scopes. Users may grant fewer. */
function withMetadata(answer: Answer, request: FastifyRequest, parts: AppParts): Answer {
  if (answer.status !== 401) return answer
  const error = request.headers.authorization === undefined ? undefined : 'invalid_token'
  const challenge = challengeFor(request, parts, { scopes: abilities, error })
  return { ...answer, headers: { ...answer.headers, 'WWW-Authenticate': challenge } }
}

function challengeFor(
  request: FastifyRequest,
  parts: AppParts,
  { scopes, error }: { scopes: readonly Ability[]; error: string | undefined },
): string {
  const url = resourceMetadataUrl(mcpAddressOf(request, parts))
  const told = error === undefined ? '' : `, error="${error}"`
  return `Bearer resource_metadata="${url}", scope="${scopes.join(' ')}"${told}`
}

/**
 * A connected program can ask its user for more scopes. The response lists its current scopes as well, because new
 * tokens replace the old ones. If the role of the user forbids the call, the tool refuses it: no scope would help.
 */
function refuseMissingScopes(
  reply: FastifyReply,
  { needed, bearer, parts }: { needed: MessageCost; bearer: Bearer; parts: AppParts },
): void {
  const { abilities: granted, role } = bearer
  const lacksAny = !needed.any_of.some((ability) => granted.includes(ability))
  const wanted = [...needed.abilities, ...(lacksAny ? needed.any_of : [])]
  const lacking = wanted.filter((ability) => !granted.includes(ability))
  if (lacking.length === 0 || role === null || !wanted.every((ability) => roleMay(role, ability))) return
  const scopes = abilities.filter((ability) => granted.includes(ability) || lacking.includes(ability))
  reply.header('WWW-Authenticate', challengeFor(reply.request, parts, { scopes, error: 'insufficient_scope' }))
  refuse({ kind: 'forbidden', message: `The connection lacks the scope ${lacking.join(' ')}. Ask the user for it.` })
}

const SERVER_ERROR = -32000

/** Refusals before the message was read, in the form of the protocol. They do not answer a specific message. */
function inProtocol(answer: Answer): Answer {
  if (answer.status < 400 || answer.body === null) return answer
  const { jsonrpc, message, ...data } = JSON.parse(answer.body)
  if (jsonrpc !== undefined) return answer
  const error = { code: SERVER_ERROR, message, ...(Object.keys(data).length > 0 ? { data } : {}) }
  return { ...answer, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }
}

export type McpAddresses = { app_url: string; mcp_domain: string | undefined }

/** The address of the MCP server in a request: below the application, or on its own domain. */
type McpAddress = { origin: string; path: '' | '/mcp' }

export const MCP_PATH = '/mcp'

function mcpAddressOf(request: FastifyRequest, { app_url, mcp_domain }: McpAddresses): McpAddress {
  const path = request.originalUrl.split('?', 1)[0]?.replace(/\/$/, '') ?? ''
  if (mcp_domain === undefined || !isAt(mcp_domain, request.host.toLowerCase()))
    return { origin: app_url, path: MCP_PATH }
  return { origin: `https://${mcp_domain}`, path: path.endsWith(MCP_PATH) ? MCP_PATH : '' }
}

/** Only our own pages may call the MCP server from a browser. This prevents DNS rebinding. */
function isOwnOrigin(origin: string, { app_url, mcp_domain }: McpAddresses): boolean {
  return origin === app_url || (mcp_domain !== undefined && origin === `https://${mcp_domain}`)
}

/** The URL at which a refused client finds the authorization server. */
function resourceMetadataUrl({ origin, path }: McpAddress): string {
  return `${origin}/.well-known/oauth-protected-resource${path}`
}
