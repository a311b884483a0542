import { Refusal } from '@kith/contract/refusal'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { admit } from '../../accounts/authenticate.ts'
import type { Bearer } from '../../accounts/tokens.ts'
import type { TokenFacts, V1Request } from '../../calls/call.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { hostAndPort, type UrlRules } from '../../webhooks/send/allowed-url.ts'
import type { AppParts } from '../parts.ts'
import { normalizeMediaType, readBodiesAsBytes, sentBody } from '../wire/body.ts'
import { callers } from '../wire/observe-requests.ts'
import { disconnectCheck, sendAnswer, sendFailure, type WireParts } from '../wire/send-answer.ts'
import { conditionHeaders, isCurrent, listTag, notModified, unlessCurrent, withTag } from './conditions.ts'
import { type Following, holdEmpty, holdUnchanged, type V1Call } from './hold.ts'
import { type Due, executePaid, spendRequest } from './items.ts'
import { methodsByPath, type V1Route, v1Routes } from './routes.ts'
import { sendParts } from './send-parts.ts'
import { sendingTests } from './send-test.ts'
import { streamChanges } from './stream.ts'
import { keepMediaType, receiveFile, receiveFiles } from './upload.ts'

const JSON_API = 'application/vnd.api+json'
const ALL_METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** The member and workspace of a request, from the checks before its body is read. */
const admitted = new WeakMap<FastifyRequest, ScopeFacts>()

/** What requests with a token have to pay, from the same checks. */
const dues = new WeakMap<FastifyRequest, Due & { bearer: Bearer }>()

/** The REST API, below `/api/v1`. */
export function registerV1(app: FastifyInstance, parts: AppParts): void {
  readBodiesAsBytes(app)
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

/** Runs before every route: refuses, or returns who calls. */
export type Authorize = (request: FastifyRequest, reply: FastifyReply, route: V1Route) => Promise<ScopeFacts>

/** Checks again, later and without counting a request, that the caller of an open request may make it. */
export type AdmitAgain = (request: FastifyRequest, route: V1Route) => Promise<ScopeFacts>

type V1Place = { prefix: string; authorize: Authorize; admitAgain: AdmitAgain }

/** The routes of the REST API below a path, with their own authorization. */
export function registerV1Routes(app: FastifyInstance, place: V1Place, parts: AppParts): void {
  for (const route of v1Routes) {
    if (route.receives === 'file') app.register(async (files) => registerUpload(files, { ...place, route }, parts))
    else registerRoute(app, { ...place, route }, parts)
  }
  for (const [path, methods] of methodsByPath(v1Routes)) registerOtherMethods(app, place.prefix + path, methods)
}

type Placed = V1Place & { route: V1Route }

function registerUpload(files: FastifyInstance, placed: Placed, parts: AppParts): void {
  receiveFiles(files)
  registerRoute(files, placed, parts)
}

function registerRoute(app: FastifyInstance, { prefix, authorize, admitAgain, route }: Placed, parts: AppParts): void {
  const wire: WireParts = { ...parts, mediaType: JSON_API, compress: true }
  const { replica } = route
  app.route({
    method: route.method,
    url: prefix + route.path,
    bodyLimit: route.bodyMax,
    onRequest: async (request, reply) => {
      if (isUnknownResource(request)) return reply.callNotFound()
      admitted.set(request, await authorize(request, reply, route))
      if (route.receives === 'file') keepMediaType(request)
      else normalizeMediaType(request.raw)
    },
    handler: async (request, reply) => {
      const facts = admitted.get(request)
      if (!facts) throw new Error('A request got past the checks without an admission.')
      const plain = plainRequest(request, route, parts)
      const tag = route.tagged ? listTag(plain, facts, parts.now()) : undefined
      if (tag && isCurrent(plain, tag)) return sendAnswer(reply, notModified(tag), wire)
      const lane = route.lane(plain.query)
      const call: V1Call = { facts, request_id: request.id, lane, replica, surface: 'v1', request: plain }
      const run = (one: V1Call) => parts.execute(one, disconnectCheck(request))
      const execute = route.handler === 'test-webhook' ? sendingTests(run, parts) : run
      const following: Following = { call, execute, admitAgain: () => asNow(reply, admitAgain(request, route)) }
      if (route.follows === 'stream') return streamChanges({ reply, following }, parts)
      if (route.follows === 'parts') return sendParts(reply, fileOf(following), parts)
      if (route.receives === 'file') return sendAnswer(reply, await receiveFile(request, following, parts), wire)
      const due = dues.get(request)
      const answer = due
        ? await executePaid({ reply, bearer: due.bearer, ...parts }, due, { call, execute })
        : await execute(call)
      const hold = route.follows ? holdEmpty : holdUnchanged
      const held = route.follows || route.holds ? await hold(answer, { reply, following }, parts) : answer
      return sendAnswer(reply, unlessCurrent(plain, withTag(held, tag)), wire)
    },
  })
}

/** The file that the parts of a call make. */
function fileOf({ call, execute, admitAgain }: Following): Parameters<typeof sendParts>[1] {
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
async function authorize(reply: FastifyReply, route: V1Route, parts: AppParts): Promise<ScopeFacts> {
  const { request } = reply
  const now = parts.now()
  const bearer = await parts.authenticate(request.headers.authorization, { now, versioned: route.tagged })
  callers.set(request, bearer)
  reply.header('X-Schema-Version', bearer.fields_version)
  parts.noteUse(bearer, now)
  dues.set(request, { bearer, ...(await spendRequest({ reply, bearer, ...parts }, route)) })
  return admitTo(route, bearer, parts)
}

function admitTo(route: V1Route, bearer: Bearer, { hosted, app_url, now }: AppParts): ScopeFacts {
  const { abilities: needed, permissions } = route
  return admit(bearer, { needed, permissions, source: 'api', hosted, app_url, now: now() })
}

/** A response that was held shows what is known now. To a revoked token that is nothing. */
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
export function registerOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const allow = methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((one) => one !== 'GET')] : [...methods]
  app.route({
    method: ALL_METHODS.filter((method) => !allow.some((one) => one === method)),
    url: path,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      if (isUnknownResource(request)) return reply.callNotFound()
      throw otherMethod(request, allow)
    },
    handler: async () => undefined,
  })
}

export function otherMethod({ method }: FastifyRequest, allow: string[]): Refusal {
  const message = `The ${method} method is not supported here. Supported: ${allow.join(', ')}.`
  return new Refusal({ kind: 'method_not_allowed', message, allow })
}

/** A path that names a resource exists for the resources that there are. */
function isUnknownResource({ params }: FastifyRequest): boolean {
  // The parameters of a path are texts.
  const { resource } = params as { resource?: string }
  return resource !== undefined && resourceNamed(resource) === undefined
}

function resourceNamed(text: string | undefined): ResourceName | undefined {
  return resourceNames.find((name) => name === text)
}

function plainRequest(request: FastifyRequest, route: V1Route, parts: AppParts): V1Request {
  const at = request.originalUrl.indexOf('?')
  const path = at === -1 ? request.originalUrl : request.originalUrl.slice(0, at)
  // The parameters of a path are texts.
  const { id = '', ...params } = request.params as Record<string, string>
  return {
    handler: route.handler,
    resource: route.resource ?? resourceNamed(params.resource) ?? null,
    id,
    params,
    path: `${request.protocol}://${request.host || parts.default_host}${path}`,
    query: at === -1 ? '' : request.originalUrl.slice(at + 1),
    body: sentBody(request),
    token: route.handler === 'token' ? tokenFacts(request, parts) : undefined,
    url_rules: route.path.startsWith('/webhooks') ? urlRules(request, parts) : undefined,
    method: request.method,
    headers: conditionHeaders(request),
  }
}

/** The address under which a caller reaches the service is one of its own, too. */
function urlRules({ protocol, host }: FastifyRequest, { urlRules, default_host }: AppParts): UrlRules {
  const { allow, own } = urlRules()
  const url = URL.parse(`${protocol}://${host || default_host}`)
  return { allow, own: url ? [...own, hostAndPort(url)] : own }
}

function tokenFacts(request: FastifyRequest, { limits }: AppParts): TokenFacts {
  const { workspace, reads, writes, items } = limits
  const shown = { workspace: workspace || null, reads: reads || null, writes: writes || null, items: items || null }
  return { expires_at: callers.get(request)?.expires_at ?? null, limits: shown }
}
