import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal, refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { admit } from '../accounts/authenticate.ts'
import type { Answer } from '../answer.ts'
import type { Call, Lane } from '../call.ts'
import type { ScopeFacts } from '../scope.ts'
import { answerError } from './answer-errors.ts'
import type { AppParts } from './app.ts'
import { callers } from './callers.ts'
import { readOff } from './read-off.ts'
import type { SentBody, V1Request } from './v1-handlers.ts'
import { methodsByPath, type V1Route, v1Routes } from './v1-routes.ts'

const ALL_METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** What the checks before the body found out, kept until the handler runs. */
const admitted = new WeakMap<FastifyRequest, ScopeFacts>()

/** The REST interface, below `/api/v1`. */
export function registerV1(app: FastifyInstance, parts: AppParts): void {
  // Bodies are read as bytes: what is wrong with one is said in its turn, after all that comes before it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(async (error, request, reply) => {
    const answer = answerFailure(error, request, parts)
    if (answer.status === 413) await readOff(request.raw)
    return send(reply, answer, request, parts)
  })
  for (const route of v1Routes) registerRoute(app, route, parts)
  for (const [path, methods] of methodsByPath()) registerOtherMethods(app, path, methods)
}

function registerRoute(app: FastifyInstance, route: V1Route, parts: AppParts): void {
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyMax,
    onRequest: (request, reply) => enter(request, reply, route, parts),
    handler: async (request, reply) => {
      const facts = admitted.get(request)
      if (!facts) throw new Error('A request got past the checks without an admission.')
      const plain = plainRequest(request, route, parts)
      const call: Call = { facts, request_id: request.id, lane: laneOf(route, plain), surface: 'v1', request: plain }
      return send(reply, await parts.perform(call), request, parts)
    },
  })
}

/** All that is checked before the body is read, in the order of the contract. */
async function enter(request: FastifyRequest, reply: FastifyReply, route: V1Route, parts: AppParts): Promise<void> {
  const now = parts.now()
  const bearer = await parts.authenticate(request.headers.authorization, now)
  callers.set(request, bearer)
  parts.noteUse(bearer, now)
  const { workspace_id, token_id } = bearer
  const spent = await parts.limiter({ workspace_id, token_id, kind: route.kind })
  if (spent) {
    reply.header('X-RateLimit-Limit', spent.limit)
    reply.header('X-RateLimit-Remaining', spent.remaining)
    if (spent.refused) refuseRate(spent.limit, spent.refused)
  }
  admitted.set(
    request,
    admit(bearer, { needed: route.abilities, door: 'api', hosted: parts.hosted, app_url: parts.app_url, now }),
  )
  settleMediaType(request.raw)
}

/** One record by its id and nothing along with it, or the token's own user: a look-up, whatever the size of the workspace. */
function laneOf({ handler, kind }: V1Route, { query }: V1Request): Lane {
  return handler === 'user' || (handler === 'read' && query === '') ? 'short' : kind
}

function refuseRate(limit: number, { bucket, retry_after }: { bucket: string; retry_after: number }): never {
  const message = `Too many requests: the limit of ${limit} ${bucket} per minute is reached. Retry in ${retry_after} s.`
  refuse({ kind: 'rate_limited', message, retry_after })
}

function registerOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const allow = methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((one) => one !== 'GET')] : [...methods]
  app.route({
    method: ALL_METHODS.filter((method) => !allow.some((one) => one === method)),
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request) => {
      const message = `The ${request.method} method is not supported here. Supported: ${allow.join(', ')}.`
      refuse({ kind: 'method_not_allowed', message, allow })
    },
    handler: async () => undefined,
  })
}

function plainRequest(request: FastifyRequest, route: V1Route, parts: AppParts): V1Request {
  const [path = '', query = ''] = splitOnce(request.originalUrl, '?')
  // The routes' only parameter is an id.
  const { id } = request.params as { id?: string }
  return {
    handler: route.handler,
    resource: route.resource,
    id: id ?? null,
    path: `${request.protocol}://${request.host || parts.default_host}${path}`,
    query,
    body: sentBody(request),
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const JSON_TYPE = /^application\/(vnd\.api\+)?json *(;|$)/i

/** A media type that Fastify cannot make out it would refuse before the record is looked for. */
function settleMediaType({ headers }: IncomingMessage): void {
  const sent = headers['content-type']
  if (sent !== undefined)
    headers['content-type'] = JSON_TYPE.test(sent) ? 'application/json' : 'application/octet-stream'
}

function sentBody({ body, headers }: FastifyRequest): SentBody {
  if (!Buffer.isBuffer(body) || body.length === 0) return { text: null, readable: true }
  const readable = JSON_TYPE.test(headers['content-type'] ?? '') && isUtf8(body)
  return { text: readable ? body.toString() : null, readable }
}

function answerFailure(error: unknown, request: FastifyRequest, parts: AppParts): Answer {
  return answerError(asRefusal(error) ?? error, parts.isBusy(error), request.id)
}

/** What Fastify itself refuses before a handler runs, in our words. */
function asRefusal(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal({ kind: 'too_large', message: 'The request body is too large.' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal({
        kind: 'invalid',
        issues: [{ path: 'body', message: 'The request body must be a JSON object.' }],
      })
    default:
      return undefined
  }
}

function send(reply: FastifyReply, answer: Answer, request: FastifyRequest, { logger }: AppParts): FastifyReply {
  const { status, body, headers, bug } = answer
  if (bug !== undefined) logger.error({ request_id: request.id, bug }, 'A request failed inside.')
  if (headers) reply.headers(headers)
  reply.code(status)
  if (body === null) return reply.send()
  // As bytes: to text Fastify would add a charset, which the media type of JSON:API does not have.
  return reply
    .header('Content-Type', status < 400 ? 'application/vnd.api+json' : 'application/json')
    .send(Buffer.from(body))
}
