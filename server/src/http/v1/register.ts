import { Refusal } from '@kith/contract/refusal'
import { generalSchema } from '@kith/contract/registry'
import type { Schema } from '@kith/contract/resource'
import { isResourceCode } from '@kith/contract/resource-code'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { admit } from '../../accounts/authenticate.ts'
import type { Bearer } from '../../accounts/tokens.ts'
import type { TokenFacts } from '../../accounts/who-am-i.ts'
import { countOperations } from '../../batch/parse-batch.ts'
import { jsonIn, type V1Request } from '../../calls/call.ts'
import { conditionHeaders, isCurrent, listTag, notModified, unlessCurrent, withTag } from '../../calls/conditions.ts'
import { countUndos } from '../../changes/undo/undo-changes.ts'
import { hostAndPort, type UrlRules } from '../../outbound/allowed-url.ts'
import { requireResource } from '../../scope/read-input.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { type Payment, payBatch, payRequest } from '../pay.ts'
import { addRoute, type Exchange, type Steps } from '../pipeline.ts'
import { leaveBodiesUnread, normalizeMediaType, readBodiesAsBytes, sentBody } from '../wire/receive-bodies.ts'
import { disconnectCheck, sendFailure } from '../wire/send-answer.ts'
import { type FeedReader, holdEmpty, holdUnchanged, type OpenAnswer, type V1Call } from './hold.ts'
import { ownRoutes, type V1Route } from './record-routes.ts'
import { methodsByPath, v1Routes } from './routes.ts'
import { sendContent } from './send-content.ts'
import { sendParts } from './send-parts.ts'
import { streamChanges } from './stream.ts'
import { keepMediaType, receiveFile, receiveImport } from './upload.ts'

const JSON_API = 'application/vnd.api+json'

const ALL_METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** The REST API, below `/api/v1`. */
export function registerV1(app: FastifyInstance, parts: AppParts): void {
  readBodiesAsBytes(app, parts)
  app.setErrorHandler((error, _request, reply) =>
    sendFailure(reply, error, { ...parts, mediaType: JSON_API, compress: true }),
  )
  const place: V1Place = {
    prefix: '',
    authorize: (_request, reply, route) => authorize(reply, route, parts),
    admitAgain: async (request, route) =>
      admitTo(route, await parts.authenticate(request.headers.authorization, { now: parts.now() }), parts),
  }
  registerV1Routes(app, place, parts)
}

/** Runs before every route: refuses, or returns the caller. */
export type Authorize = (request: FastifyRequest, reply: FastifyReply, route: V1Route) => Promise<ScopeFacts>

/** Checks again later, without counting a request, that the caller of an open request may make it. */
export type AdmitAgain = (request: FastifyRequest, route: V1Route) => Promise<ScopeFacts>

type V1Place = { prefix: string; authorize: Authorize; admitAgain: AdmitAgain }

/** The own routes come last: their paths have a parameter where the others have a name. */
const allRoutes = [...v1Routes, ...ownRoutes]
const allSegments = allRoutes.map(({ method, path }) => ({ method, parts: path.split('/') }))

/** The first segments of the paths of this version. No resource that a workspace makes can have such a code. */
const firstSegments = new Set(v1Routes.map(({ path }) => path.split('/')[1]))

/** The routes of the REST API below a path, with their own authorization. */
export function registerV1Routes(app: FastifyInstance, place: V1Place, parts: AppParts): void {
  for (const route of allRoutes) {
    if (route.receives) app.register(async (files) => registerUpload(files, { ...place, route }, parts))
    else registerRoute(app, { ...place, route }, parts)
  }
  for (const [path, methods] of methodsByPath(allRoutes)) {
    const own = ownRoutes.find((route) => route.path === path)
    // Whether there is such a resource is for the holder of a token to know.
    const check = async (request: FastifyRequest, reply: FastifyReply) => {
      const isPublic = own === undefined || isBuiltIn(resourceIn(request) ?? '')
      if (!isPublic) await place.authorize(request, reply, { ...own, kind: 'read', abilities: [] })
    }
    const among = isBuiltIn(path.split('/')[1] ?? '') ? methodsInPlaceOf(path) : ALL_METHODS
    registerOtherMethods(app, { path: place.prefix + path, methods, among, check })
  }
}

/**
 * The methods of routes with a parameter in the place of a name of this path: they would take its requests. All others
 * reach the own routes, which have the same paths. Each route takes time at the start.
 */
function methodsInPlaceOf(path: string): HTTPMethods[] {
  const names = path.split('/')
  const methods = allSegments.flatMap(({ method, parts }) => {
    const isInPlace =
      parts.length === names.length && parts.every((part, index) => part === names[index] || part.startsWith(':'))
    return isInPlace ? [method] : []
  })
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods
}

type PlacedRoute = V1Place & { route: V1Route }

function registerUpload(files: FastifyInstance, placed: PlacedRoute, parts: AppParts): void {
  leaveBodiesUnread(files)
  registerRoute(files, placed, parts)
}

function registerRoute(app: FastifyInstance, placed: PlacedRoute, parts: AppParts): void {
  const { prefix, route } = placed
  addRoute(app, { method: route.method, url: prefix + route.path, bodyLimit: route.bodyMax }, stepsOf(placed, parts))
}

/** A call, and the ETag of its answer if that is known before it is executed. */
type TaggedCall = { call: V1Call; tag: string | undefined }

function stepsOf({ authorize, admitAgain, route }: PlacedRoute, parts: AppParts): Steps<TaggedCall> {
  const { replica } = route
  const following = (call: V1Call, { request, reply }: Exchange): FeedReader => ({
    call,
    execute: (one) => parts.execute(one, disconnectCheck(request)),
    admitAgain: () => asNow(reply, admitAgain(request, route)),
  })
  return {
    wire: { ...parts, mediaType: JSON_API, compress: true },
    async admit({ request, reply }) {
      if (isUnknownResource(request)) return reply.callNotFound()
      request.admitted = await authorize(request, reply, route)
      if (route.receives) keepMediaType(request)
      else normalizeMediaType(request.raw)
    },
    pay: counts(route) ? (exchange) => payOperations(exchange, parts) : ({ request }) => request.payment,
    call({ request }, payment) {
      const { admitted: facts } = request
      if (!facts) throw new Error('A request passed the checks without an admission.')
      const plain = { ...plainRequest(request, route, parts), unpaid: payment?.refusal }
      const tag = route.tagged ? listTag(plain, facts, parts.now()) : undefined
      const lane = route.lane(plain.query)
      return { call: { facts, request_id: request.id, lane, replica, surface: 'v1', request: plain }, tag }
    },
    condition: ({ call, tag }) => (tag && isCurrent(call.request, tag) ? notModified(tag) : undefined),
    async execute({ call }, exchange) {
      const { request, reply } = exchange
      if (route.receives === 'import') return receiveImport(reply, following(call, exchange), parts)
      if (route.receives === 'file') return receiveFile(reply, following(call, exchange), parts)
      if (route.follows === 'content') return sendContent(reply, following(call, exchange), parts)
      if (route.follows === 'stream') await streamChanges({ reply, following: following(call, exchange) }, parts)
      else if (route.follows === 'parts') await sendParts(reply, fileOf(following(call, exchange)), parts)
      else return parts.execute(call, disconnectCheck(request))
    },
    hold: holdOf(route, (call, exchange) => ({ reply: exchange.reply, following: following(call, exchange) }), parts),
    present: (answer, { call, tag }) => unlessCurrent(call.request, withTag(answer, tag)),
  }
}

function holdOf(
  { follows, holds }: V1Route,
  open: (call: V1Call, exchange: Exchange) => OpenAnswer,
  parts: AppParts,
): Steps<TaggedCall>['hold'] {
  if (!follows && !holds) return undefined
  const hold = follows ? holdEmpty : holdUnchanged
  return (answer, { call }, exchange) => hold(answer, open(call, exchange), parts)
}

/** The file that consists of the parts of a call. */
function fileOf({ call, execute, admitAgain }: FeedReader): Parameters<typeof sendParts>[1] {
  return {
    facts: call.facts,
    counts: call.request.handler === 'export',
    admitAgain,
    read: (facts, continuation) => {
      // Only the first part, which has the cursor, must be read from the primary.
      const replica = continuation === undefined ? call.replica : true
      return execute({ ...call, facts, replica, request: { ...call.request, continuation } })
    },
  }
}

/** All checks before the body is read, in the order of the contract. */
export async function authorize(reply: FastifyReply, route: V1Route, parts: AppParts): Promise<ScopeFacts> {
  const { request } = reply
  const now = parts.now()
  const bearer = await parts.authenticate(request.headers.authorization, { now, versioned: route.tagged })
  request.caller = bearer
  request.bearer = bearer
  reply.header('X-Schema-Version', bearer.fields_version)
  parts.noteUse(bearer, now)
  const { kind } = route
  // The items of a batch are known once its body is read.
  const items = kind === 'write' && !counts(route) ? 1 : 0
  const isKeyed = request.headers['idempotency-key'] !== undefined
  request.payment = await payRequest({ reply, bearer, limiter: parts.limiter }, { kind, items, isKeyed })
  const { workspace_id: id, fields_version } = bearer
  await requireKnown(request, route, () => parts.schemaFor({ id, fields_version }))
  return admitTo(route, bearer, parts)
}

function admitTo(route: V1Route, bearer: Bearer, { hosted, app_url, now }: AppParts): ScopeFacts {
  const { abilities: needed, permissions, everyRole } = route
  return admit(bearer, { needed, permissions, everyRole, source: 'api', hosted, app_url, now: now() })
}

/** A held response has the headers of the current state. A revoked token gets none of them. */
async function asNow(reply: FastifyReply, admission: Promise<ScopeFacts>): Promise<ScopeFacts> {
  try {
    const facts = await admission
    if (!reply.sent) reply.header('X-Schema-Version', facts.workspace.fields_version)
    return facts
  } catch (error) {
    const isUnknown = error instanceof Refusal && error.reason.kind === 'unauthenticated'
    if (isUnknown && !reply.sent) for (const name of KNOWN_CALLER) reply.removeHeader(name)
    throw error
  }
}

const KNOWN_CALLER = ['X-Schema-Version', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** Known path, other method: 405, with the supported methods. */
export function registerOtherMethods(
  app: FastifyInstance,
  {
    path,
    methods,
    among = ALL_METHODS,
    check,
  }: {
    path: string
    methods: readonly string[]
    among?: readonly HTTPMethods[]
    check?: ((request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) | undefined
  },
): void {
  const allow = methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((one) => one !== 'GET')] : [...methods]
  const others = ALL_METHODS.filter((method) => among.includes(method) && !allow.includes(method))
  if (others.length === 0) return
  app.route({
    method: others,
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      if (isUnknownResource(request)) return reply.callNotFound()
      await check?.(request, reply)
      throw otherMethod(request, allow)
    },
    handler: async () => undefined,
  })
}

export function otherMethod({ method }: FastifyRequest, allow: string[]): Refusal {
  const message = `The ${method} method is not supported here. Supported: ${allow.join(', ')}.`
  return new Refusal({ kind: 'method_not_allowed', message, allow })
}

/** Whether a path names a resource that no workspace can have. */
function isUnknownResource(request: FastifyRequest): boolean {
  const resource = resourceIn(request)
  if (resource === undefined || isBuiltIn(resource)) return false
  return !isResourceCode(resource) || firstSegments.has(resource)
}

function resourceIn({ params }: FastifyRequest): string | undefined {
  // Path parameters are strings.
  return (params as { resource?: string }).resource
}

function isBuiltIn(code: string): boolean {
  return generalSchema.has(code)
}

/** Refuses a path whose resource the workspace does not have. Most paths name none, or a built-in one. */
export async function requireKnown(
  request: FastifyRequest,
  { archived }: V1Route,
  loadSchema: () => Promise<Schema>,
): Promise<void> {
  const resource = resourceIn(request)
  if (resource === undefined || isBuiltIn(resource)) return
  requireResource(await loadSchema(), resource, archived && 'or archived')
}

function plainRequest(request: FastifyRequest, route: V1Route, parts: AppParts): V1Request {
  const at = request.originalUrl.indexOf('?')
  const path = at === -1 ? request.originalUrl : request.originalUrl.slice(0, at)
  // Path parameters are strings.
  const { id = '', ...params } = request.params as Record<string, string>
  return {
    handler: route.handler,
    resource: route.resource ?? params.resource ?? null,
    id,
    params,
    path: `${request.protocol}://${request.host || parts.default_host}${path}`,
    query: at === -1 ? '' : request.originalUrl.slice(at + 1),
    body: sentBody(request),
    token: route.handler === 'token' ? tokenFacts(request, parts) : undefined,
    url_rules: route.path.startsWith('/webhooks') ? urlRules(request, parts) : undefined,
    method: request.method,
    headers: conditionHeaders(request.raw),
  }
}

/** The address with which the caller reaches the service also belongs to the service. */
function urlRules({ protocol, host }: FastifyRequest, { urlRules, default_host }: AppParts): UrlRules {
  const { allow, own } = urlRules()
  const url = URL.parse(`${protocol}://${host || default_host}`)
  return { allow, own: url ? [...own, hostAndPort(url)] : own }
}

function tokenFacts(request: FastifyRequest, { limits }: AppParts): TokenFacts {
  const { workspace, reads, writes, items } = limits
  const shown = { workspace: workspace || null, reads: reads || null, writes: writes || null, items: items || null }
  return { expires_at: request.caller?.expires_at ?? null, limits: shown }
}

/** Whether the items of a request are known once its body is read. */
function counts({ handler }: V1Route): boolean {
  return handler === 'batch' || handler === 'undo-changes'
}

/** Pays for the operations of a batch, or the changes of an undo. Members have no items. */
function payOperations({ request, reply }: Exchange, { limiter }: AppParts): Promise<Payment> | undefined {
  const { bearer } = request
  const body = jsonIn(sentBody(request))
  return bearer && payBatch({ reply, bearer, limiter }, countOperations(body) || countUndos(body))
}
