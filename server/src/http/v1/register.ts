import { refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { admit } from '../../accounts/authenticate.ts'
import type { Call, Lane } from '../../calls/call.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../server.ts'
import { callers } from '../wire/callers.ts'
import { goneOf } from '../wire/gone.ts'
import { sendAnswer, sendFailure } from '../wire/send-answer.ts'
import { readBodiesAsBytes, sentBody, settleMediaType } from '../wire/sent-body.ts'
import { tellRate } from '../wire/tell-rate.ts'
import type { V1Request } from './handlers.ts'
import { methodsByPath, type V1Route, v1Routes } from './routes.ts'
import { isShortList } from './short-list.ts'

const JSON_API = 'application/vnd.api+json'
const ALL_METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** What the checks before the body found out, kept until the handler runs. */
const admitted = new WeakMap<FastifyRequest, ScopeFacts>()

/** The REST interface, below `/api/v1`. */
export function registerV1(app: FastifyInstance, parts: AppParts): void {
  readBodiesAsBytes(app)
  const wire = { ...parts, mediaType: JSON_API }
  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, error, wire))
  registerV1Routes(app, '', (request, reply, route) => enter({ request, reply, route }, parts), parts)
}

/** Runs before every route: it refuses, or returns who calls. */
export type Entrance = (request: FastifyRequest, reply: FastifyReply, route: V1Route) => Promise<ScopeFacts>

/** The routes of the REST interface below a path, behind an entrance of their own. */
export function registerV1Routes(app: FastifyInstance, prefix: string, entrance: Entrance, parts: AppParts): void {
  for (const route of v1Routes) registerRoute(app, prefix, { route, entrance, parts })
  for (const [path, methods] of methodsByPath()) registerOtherMethods(app, prefix + path, methods)
}

type Registered = { route: V1Route; entrance: Entrance; parts: AppParts }

function registerRoute(app: FastifyInstance, prefix: string, { route, entrance, parts }: Registered): void {
  const wire = { ...parts, mediaType: JSON_API }
  app.route({
    method: route.method,
    url: prefix + route.path,
    bodyLimit: route.bodyMax,
    onRequest: async (request, reply) => {
      admitted.set(request, await entrance(request, reply, route))
      settleMediaType(request.raw)
    },
    handler: async (request, reply) => {
      const facts = admitted.get(request)
      if (!facts) throw new Error('A request got past the checks without an admission.')
      const plain = plainRequest(request, route, parts)
      const lane = laneOf(route, plain)
      const call: Call = { facts, request_id: request.id, lane, surface: 'v1', request: plain }
      return sendAnswer(request, reply, await parts.perform(call, goneOf(request)), wire)
    },
  })
}

type Entering = { request: FastifyRequest; reply: FastifyReply; route: V1Route }

/** All checks before the body is read, in the order of the contract. */
async function enter({ request, reply, route }: Entering, parts: AppParts): Promise<ScopeFacts> {
  const now = parts.now()
  const bearer = await parts.authenticate(request.headers.authorization, now)
  callers.set(request, bearer)
  parts.noteUse(bearer, now)
  const { workspace_id, token_id } = bearer
  const spent = await parts.limiter({ workspace_id, token_id, kind: route.kind })
  if (spent) tellRate(reply, spent)
  return admit(bearer, { needed: route.abilities, source: 'api', hosted: parts.hosted, app_url: parts.app_url, now })
}

/** One record by its id and nothing along with it, the token's own user, a few rows of a list: short, whatever the size of the workspace. */
function laneOf({ handler, kind }: V1Route, { query }: V1Request): Lane {
  if (handler === 'user' || (handler === 'read' && query === '')) return 'short'
  return handler === 'list' && isShortList(query) ? 'short' : kind
}

/** Known path, other method: 405, with those that are known. */
export function registerOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
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
