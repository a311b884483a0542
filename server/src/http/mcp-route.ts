import { type Ability, abilities } from '@kith/contract/abilities'
import { BODY_MAX_BYTES } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit } from '../accounts/authenticate.ts'
import type { Bearer } from '../accounts/tokens.ts'
import type { Answer } from '../calls/answer.ts'
import type { Call, MessageCost } from '../calls/call.ts'
import { isOwnOrigin, MCP_PATH, mcpAddressOf, resourceMetadataUrl } from './mcp-addresses.ts'
import type { AppParts } from './parts.ts'
import { registerOtherMethods } from './v1/register.ts'
import { normalizeMediaType, readBodiesAsBytes, sentBody } from './wire/body.ts'
import { callers } from './wire/observe-requests.ts'
import { refuseSpent } from './wire/rate-headers.ts'
import { answerFailure, disconnectCheck, sendAnswer } from './wire/send-answer.ts'

/** Whose request it is, kept until its body has been read. */
const bearers = new WeakMap<FastifyRequest, Bearer>()

/** The MCP server: one message of the protocol for each request, and nothing kept in between. */
export function registerMcp(app: FastifyInstance, parts: AppParts): void {
  readBodiesAsBytes(app)
  const wire = { ...parts, mediaType: 'application/json' }
  app.setErrorHandler(async (error, request, reply) => {
    const answer = await answerFailure(request, error, wire)
    return sendAnswer(reply, inProtocol(withMetadata(answer, request, parts)), wire)
  })
  app.route({
    method: 'POST',
    url: MCP_PATH,
    bodyLimit: BODY_MAX_BYTES,
    onRequest: (request) => authorize(request, parts),
    handler: async (request, reply) => {
      const bearer = bearerOf(request)
      const body = sentBody(request).text ?? ''
      const cost = parts.mcp.costOfMessage(body)
      const { workspace_id, token_id } = bearer
      const spent = await parts.limiter({ workspace_id, token_id, ...cost })
      refuseSpent(reply, spent)
      const { hosted, app_url } = parts
      if (bearer.connection) refuseMissingScopes(reply, { needed: cost, bearer, parts })
      const facts = admit(bearer, { needed: [], source: 'mcp', hosted, app_url, now: parts.now() })
      const asked = { body, headers: protocolHeaders(request), app_url }
      const call: Call = { facts, request_id: request.id, lane: cost.kind, surface: 'mcp', request: asked }
      return sendAnswer(reply, inProtocol(await parts.execute(call, disconnectCheck(request))), wire)
    },
  })
  // There is no stream to listen to and no session to end.
  registerOtherMethods(app, MCP_PATH, ['POST'])
}

/** What is checked before the body is read. */
async function authorize(request: FastifyRequest, parts: AppParts): Promise<void> {
  const origin = headerOf(request, 'origin')
  if (origin !== undefined && !isOwnOrigin(origin, parts)) {
    refuse({ kind: 'forbidden', message: `Pages of ${origin.slice(0, 200)} may not call this MCP server.` })
  }
  const now = parts.now()
  const bearer = await parts.authenticate(request.headers.authorization, { now })
  callers.set(request, bearer)
  bearers.set(request, bearer)
  parts.noteUse(bearer, now)
  normalizeMediaType(request.raw)
}

function bearerOf(request: FastifyRequest): Bearer {
  const bearer = bearers.get(request)
  if (!bearer) throw new Error('A request got past the checks without a bearer.')
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

type Challenge = { scopes: readonly Ability[]; error: string | undefined }

function challengeFor(request: FastifyRequest, parts: AppParts, { scopes, error }: Challenge): string {
  const url = resourceMetadataUrl(mcpAddressOf(request, parts))
  const told = error === undefined ? '' : `, error="${error}"`
  return `Bearer resource_metadata="${url}", scope="${scopes.join(' ')}"${told}`
}

type Missing = { needed: MessageCost; bearer: Bearer; parts: AppParts }

/**
 * A connected program can ask its user for more scopes. It is told those that it has as well, because new tokens
 * replace the old ones. What the role of the user forbids is refused by the tool: no scope would help.
 */
function refuseMissingScopes(reply: FastifyReply, { needed, bearer, parts }: Missing): void {
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

/** Refusals before the message was read, in the protocol's form: they answer no message in particular. */
function inProtocol(answer: Answer): Answer {
  if (answer.status < 400 || answer.body === null) return answer
  const { jsonrpc, message, ...data } = JSON.parse(answer.body)
  if (jsonrpc !== undefined) return answer
  const error = { code: SERVER_ERROR, message, ...(Object.keys(data).length > 0 ? { data } : {}) }
  return { ...answer, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }
}
