import { BODY_MAX_BYTES, PICTURE_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import { isObject } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Lane, optionalJsonIn, type WebRequest } from '../../calls/call.ts'
import type { Change, Changes } from '../../changes/live-updates.ts'
import type { RecordVersions } from '../../records/read.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { LoadShedder } from '../../telemetry/observability.ts'
import type { AppParts } from '../parts.ts'
import { addRoute } from '../pipeline.ts'
import { endUnlessAdmitted } from '../v1/hold.ts'
import type { Method, V1Route } from '../v1/record-routes.ts'
import {
  type AdmitAgain,
  type Authorize,
  registerOtherMethods,
  registerV1Routes,
  requireKnown,
} from '../v1/register.ts'
import { methodsByPath } from '../v1/routes.ts'
import { sendParts } from '../v1/send-parts.ts'
import { openEventStream } from '../wire/event-stream.ts'
import { normalizeMediaType, readBodiesAsBytes } from '../wire/receive-bodies.ts'
import { disconnectCheck, sendAnswer, sendFailure } from '../wire/send-answer.ts'
import { type AccountEndpoint, accountEndpoints } from './account-handlers.ts'
import { authorizeMember, authorizeSession, plainRequest, spendOfUser } from './authorize.ts'
import { recordHandlers } from './record-handlers.ts'
import { holderOf, newSessionContext, type SessionAnswer } from './session-context.ts'
import { type SessionEndpoint, sessionHandlers } from './session-handlers.ts'
import { handlerRequest } from './web-request.ts'
import { settingsHandlers, type WorkspaceEndpoint } from './workspace-handlers.ts'

/** The private API of the web application, below `/api/app`: for browsers with a session cookie. */
export function registerWeb(app: FastifyInstance, parts: AppParts): void {
  const wire = { ...parts, mediaType: 'application/json' }
  readBodiesAsBytes(app, parts)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
  })
  app.setErrorHandler((error, _request, reply) => sendFailure(reply, error, wire))
  for (const route of webRoutes) {
    if (route.at === 'stream') registerStream(app, route, parts)
    else if (route.at === 'export') registerExport(app, route, parts)
    else if (route.at === 'picture') registerPicture(app, route, parts)
    else registerRoute(app, route, parts)
  }
  for (const [path, methods] of methodsByPath(webRoutes)) registerOtherMethods(app, { path, methods })
  const wanted = ({ path, abilities, permissions = [], everyRole }: V1Route) => {
    // Like other settings, resources and fields can be read and changed while the workspace is paused.
    return { needed: [...(everyRole ? [] : abilities), ...permissions], whilePaused: path.startsWith('/schema') }
  }
  const authorize: Authorize = async (request, reply, route) => {
    const facts = await authorizeMember(request, { ...wanted(route), reply }, parts)
    await requireKnown(request, route, () => parts.schemaFor(facts.workspace))
    return facts
  }
  const admitAgain: AdmitAgain = (request, route) => authorizeMember(request, wanted(route), parts)
  registerV1Routes(app, { prefix: '/w/:slug/v1', authorize, admitAgain }, parts)
}

function registerRoute(app: FastifyInstance, route: WebRoute, parts: AppParts): void {
  addRoute<WebRequest>(
    app,
    { method: route.method, url: route.path, bodyLimit: route.bodyMax },
    {
      wire: { ...parts, mediaType: 'application/json' },
      async admit({ request, reply }) {
        if ('needs' in route) {
          request.admitted = await authorizeMember(request, { ...wantedBy(route), reply }, parts)
        } else {
          const sessionUser = await authorizeSession(request, parts, route.open)
          if (sessionUser) await spendOfUser(sessionUser, reply, parts)
        }
        normalizeMediaType(request.raw)
      },
      call: ({ request }) => plainRequest(request, parts),
      async execute(plain, { request, reply }) {
        const { answer, cookies = [] } = await answerTo(route, { request, plain }, parts)
        if (cookies.length > 0) reply.header('Set-Cookie', cookies)
        return answer
      },
    },
  )
}

/** Server-sent events about changed resources. */
function registerStream(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const admitAgain = (request: FastifyRequest) => authorizeMember(request, wantedBy(route), parts)
  const streams = openStreams({ ...parts.web, shedder: parts.shedder, admitAgain })
  app.addHook('preClose', async () => streams.close())
  app.get(route.path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await authorizeMember(request, { ...wantedBy(route), reply }, parts)
    streams.open(request, reply, { facts, session_id: request.sessionUser?.session_id ?? '' })
    return reply
  })
}

function wantedBy({ needs, whilePaused }: WorkspaceRoute) {
  return { needed: [needs], whilePaused }
}

async function answerTo(
  route: WebRoute,
  { request, plain }: { request: FastifyRequest; plain: WebRequest },
  parts: AppParts,
): Promise<SessionAnswer> {
  const request_id = request.id
  switch (route.at) {
    case 'session':
      return sessionHandlers[route.handler](newSessionContext(request, plain, parts), handlerRequest(plain))
    case 'account': {
      const { lane, handler } = route
      const holder = holderOf(request.sessionUser)
      const call = { surface: 'account', lane, holder, request: { ...plain, handler }, request_id } as const
      return { answer: await parts.execute(call) }
    }
    default: {
      const { lane, handler } = route
      const facts = request.admitted
      if (!facts) throw new Error('A request passed the checks without an admission.')
      if (handler === 'POST /invitations') await spendInvitation(plain, facts, parts)
      const call = { surface: 'workspace', lane, facts, request: { ...plain, handler }, request_id } as const
      return { answer: await parts.execute(call, disconnectCheck(request)) }
    }
  }
}

/** Runs before anything is stored, because an invitation sends mail to any address that its sender chooses. */
async function spendInvitation(plain: WebRequest, { actor }: ScopeFacts, { web }: AppParts): Promise<void> {
  const body = optionalJsonIn(plain.body)
  const email = isObject(body) ? body.email : undefined
  if (web.sendMail && typeof email === 'string') await web.spendMail({ user_id: actor.user_id, email })
}

/** The audit log as a file of any length, read part by part while it is sent. */
function registerExport(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const { path, needs, whilePaused, lane, handler } = route
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const admitAgain = () => authorizeMember(request, { needed: [needs], whilePaused }, parts)
    const read = (facts: ScopeFacts, continuation?: string) => {
      const own = { ...plainRequest(request, parts), handler, continuation }
      return parts.execute({ surface: 'workspace', lane, facts, request: own, request_id: request.id })
    }
    return sendParts(reply, { facts: await admitAgain(), counts: false, read, admitAgain }, parts)
  })
}

/** The picture of a member as an image. Every picture has its own URL, so browsers can cache it. */
function registerPicture(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const { path, needs, whilePaused, lane, handler } = route
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await authorizeMember(request, { needed: [needs], whilePaused, reply }, parts)
    const own = { ...plainRequest(request, parts), handler }
    const answer = await parts.execute({ surface: 'workspace', lane, facts, request: own, request_id: request.id })
    if (answer.status !== 200) return sendAnswer(reply, answer, { ...parts, mediaType: 'application/json' })
    const { data } = JSON.parse(answer.body ?? '')
    reply.header('Cache-Control', 'private, max-age=31536000, immutable')
    // Nothing in the image may run, even if a browser opens it as a page.
    reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    reply.header('Content-Type', data.type)
    return reply.send(Buffer.from(data.data, 'base64'))
  })
}

type RoutePlace = { method: Method; path: string; bodyMax: number }

type SessionRoute = RoutePlace & { at: 'session'; handler: SessionEndpoint; open: 'anyone' | 'user' }

type AccountRoute = RoutePlace & { at: 'account'; handler: AccountEndpoint; open: 'user'; lane: Lane }

type WorkspaceRoute = RoutePlace & {
  /** `stream`: server-sent events. `export`: a file that is read while it is sent. `picture`: an image. */
  at: 'workspace' | 'stream' | 'export' | 'picture'
  handler: WorkspaceEndpoint | typeof EVENTS
  needs: Permission
  lane: Lane
  whilePaused: boolean
}

type WebRoute = SessionRoute | AccountRoute | WorkspaceRoute

/** No form of the application is longer. */
const FORM_MAX_BYTES = 64 * 1024

/** A picture as base64 takes a third more, and some bytes around it. */
const PICTURE_BODY_MAX_BYTES = 2 * PICTURE_MAX_BYTES

const EVENTS = 'GET /events'

/** Session endpoints that work without a session. All others are for signed-in users. */
const openToAnyone: ReadonlySet<SessionEndpoint> = new Set<SessionEndpoint>([
  'GET /start',
  'POST /set-up',
  'POST /sign-in',
  'POST /sign-in/code',
  'POST /sign-in/passkey/options',
  'POST /sign-in/passkey',
  'POST /sign-in/provider',
  'POST /sign-out',
  'POST /password/forgot',
  'POST /password/reset',
  'GET /invitations/:token',
  'POST /invitations/:token/accept',
  'GET /unsubscribe/:token',
  'POST /unsubscribe/:token',
])

/** Calls that only read, but are not GET requests. */
const READS: ReadonlySet<string> = new Set<WorkspaceEndpoint>([
  'POST /bulk/ids',
  'POST /reports/forecast',
  'POST /reports/win-rate',
  'POST /reports/stage-times',
])

/** Endpoints whose responses are not JSON. */
const others: Readonly<Partial<Record<WorkspaceRoute['handler'], WorkspaceRoute['at']>>> = {
  [EVENTS]: 'stream',
  'GET /audit/export': 'export',
  'GET /pictures/:id': 'picture',
}

/** Every endpoint of the application's private API, below `/api/app`. `/w/:slug/v1` is the REST API for members. */
export const webRoutes: readonly WebRoute[] = [
  ...entriesOf(sessionHandlers).map(([handler]): SessionRoute => {
    const open = openToAnyone.has(handler) ? 'anyone' : 'user'
    return { at: 'session', ...placeOf(handler), handler, open, bodyMax: FORM_MAX_BYTES }
  }),
  ...entriesOf(accountEndpoints).map(([handler]): AccountRoute => {
    const bodyMax = handler === 'PUT /picture' ? PICTURE_BODY_MAX_BYTES : FORM_MAX_BYTES
    return { at: 'account', ...placeOf(handler), handler, open: 'user', bodyMax }
  }),
  ...entriesOf(settingsHandlers).map(([handler, { needs }]) => workspaceRoute(handler, needs, true)),
  ...entriesOf(recordHandlers).map(([handler, { needs }]) => workspaceRoute(handler, needs, false)),
  workspaceRoute(EVENTS, 'read', false),
]

function workspaceRoute(handler: WorkspaceRoute['handler'], needs: Permission, whilePaused: boolean): WorkspaceRoute {
  const { method, path, lane } = placeOf(handler)
  return {
    at: others[handler] ?? 'workspace',
    method,
    path: `/w/:slug${path}`,
    lane,
    handler,
    needs,
    whilePaused,
    bodyMax: BODY_MAX_BYTES,
  }
}

function placeOf(endpoint: string): { method: Method; path: string; lane: Lane } {
  const [method = '', path = ''] = endpoint.split(' ')
  // The endpoints above begin with a method.
  return { method: method as Method, path, lane: method === 'GET' || READS.has(endpoint) ? 'read' : 'write' }
}

function entriesOf<K extends string, V>(routes: Readonly<Record<K, V>>): [K, V][] {
  // The keys of these tables are known.
  return Object.entries(routes) as [K, V][]
}

const PING_MS = 25_000

const LOOK_MS = 2000

const UNREAD_MAX_BYTES = 64 * 1024

const LISTENERS_MAX = 5000

const LISTENERS_PER_USER_MAX = 20

/** How a stream is kept open. */
type EventParts = {
  changes: Changes
  shedder: LoadShedder
  /** Checks from time to time that the user may still listen. */
  admitAgain(request: FastifyRequest): Promise<ScopeFacts>
  /** The sessions of the members of a workspace. Called every few seconds, once for all streams of the workspace. */
  sessionsIn(workspaceId: string): Promise<ReadonlySet<string>>
}

type Stream = { workspace_id: string; user_id: string; session_id: string; end(): void }

/** The streams that are open in this process. */
type Streams = {
  open(request: FastifyRequest, reply: FastifyReply, listener: { facts: ScopeFacts; session_id: string }): void
  close(): void
}

/** Sends server-sent events with the names of changed resources. */
function openStreams({ changes, shedder, admitAgain, sessionsIn }: EventParts): Streams {
  const open = new Set<Stream>()
  const looking = setInterval(() => void endOrphans(open, sessionsIn), LOOK_MS).unref()
  return {
    open(request, reply, { facts, session_id }) {
      const { user_id } = facts.actor
      const own = [...open].filter((stream) => stream.user_id === user_id)
      if (own.length >= LISTENERS_PER_USER_MAX || open.size >= LISTENERS_MAX) {
        const message = 'Too many windows are open. Close some of them to get live updates.'
        refuse({ kind: 'rate_limited', message, retry_after: 30 })
      }
      const { send, end, whenClosed } = openEventStream(reply, { shedder, unread_max: UNREAD_MAX_BYTES })
      const stop = changes.listen(facts, versionsIn(lastEventOf(request)), (change) => send(eventsOf(change)))
      const pinging = setInterval(() => {
        send(': ping\n\n')
        void endUnlessAdmitted({ admitAgain: () => admitAgain(request) }, end)
      }, PING_MS).unref()
      const stream = { workspace_id: facts.workspace.id, user_id, session_id, end }
      open.add(stream)
      whenClosed(() => {
        stop()
        clearInterval(pinging)
        open.delete(stream)
      })
    },
    close() {
      clearInterval(looking)
      for (const { end } of open) end()
    },
  }
}

/** Ends the streams whose session has ended or whose user has left the workspace, on any node. */
async function endOrphans(open: ReadonlySet<Stream>, sessionsIn: EventParts['sessionsIn']): Promise<void> {
  for (const [workspaceId, streams] of Map.groupBy(open, (stream) => stream.workspace_id)) {
    // An unavailable database ends no stream.
    const sessions = await sessionsIn(workspaceId).catch(() => undefined)
    for (const { session_id, end } of streams) if (sessions && !sessions.has(session_id)) end()
  }
}

/** The versions are the event id, so that a client that reconnects gets the changes in between. */
function eventsOf({ versions, changed }: Change): string {
  const id = `id: ${Object.entries(versions).map((one) => one.join('='))}\n`
  const resources = changed.filter((name) => name !== 'fields')
  const events = []
  if (resources.length > 0) events.push(`event: change\ndata: ${JSON.stringify({ resources })}\n`)
  if (changed.includes('fields')) events.push('event: fields\ndata: {}\n')
  if (events.length === 0) events.push('event: ready\ndata: {}\n')
  return events.map((event) => `${id}${event}\n`).join('')
}

/** The last event that a client has seen. A browser that reconnects by itself sends the header. */
function lastEventOf({ headers, url }: FastifyRequest): unknown {
  return headers['last-event-id'] ?? new URL(url, 'http://localhost').searchParams.get('last_event_id')
}

function versionsIn(id: unknown): RecordVersions | undefined {
  if (typeof id !== 'string' || !/^\w{2,40}=\d{1,15}(,\w{2,40}=\d{1,15}){0,99}$/.test(id)) return undefined
  const versions = id.split(',').map((part) => part.split('='))
  return Object.fromEntries(versions.map(([name, version]) => [name, Number(version)]))
}
