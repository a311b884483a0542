import { Refusal, refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { Attempt } from '../../accounts/sign-in-limit.ts'
import { admitVisitor, type Visit, type Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../answer.ts'
import type { Changes } from '../../changes.ts'
import type { SendMail } from '../../mail.ts'
import type { ScopeFacts } from '../../scope.ts'
import type { AppParts } from '../app.ts'
import { callers } from '../callers.ts'
import { sendAnswer, sendFailure } from '../send-answer.ts'
import { readBodiesAsBytes, sentBody, settleMediaType } from '../sent-body.ts'
import { registerOtherMethods, registerV1Routes } from '../v1.ts'
import type { Asker } from './account-handlers.ts'
import { type Desk, deskHandlers } from './desk-handlers.ts'
import { openStreams } from './events.ts'
import { methodsByWebPath, type WebRoute, type WorkspaceRoute, webRoutes } from './routes.ts'
import { requireSameSite } from './same-site.ts'
import type { Site, WebRequest } from './web-request.ts'

/** What the application's private interface needs beside what all surfaces share. */
export type WebParts = {
  signIn: SignIn
  findVisitor(visit: Visit): Promise<Visitor | undefined>
  noteVisit(visitor: Visitor, now: Date): void
  spendAttempt(attempt: Attempt): Promise<void>
  needsSetUp(): Promise<boolean>
  /** Undefined where the service sends no mail. */
  sendMail: SendMail | undefined
  changes: Changes
  settleConsent(userId: string, input: unknown, caller: Caller): Promise<string>
}

type Parts = AppParts & { web: WebParts; mediaType: string }

/** What the checks before the body found out, kept until the handler runs. */
const visitors = new WeakMap<FastifyRequest, Visitor>()
const admitted = new WeakMap<FastifyRequest, ScopeFacts>()

/** The private interface of the web application, below `/api/app`: for browsers, with a session's cookie. */
export function registerWeb(app: FastifyInstance, shared: AppParts): void {
  const parts: Parts = { ...shared, mediaType: 'application/json' }
  readBodiesAsBytes(app)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
  })
  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, error, parts))
  for (const route of webRoutes) registerRoute(app, route, parts)
  registerEvents(app, parts)
  for (const [path, methods] of methodsByWebPath()) registerOtherMethods(app, path, methods)
  registerV1Routes(
    app,
    '/w/:slug/v1',
    async (request, _reply, { abilities: needed }) =>
      admit(request, await enter(request, parts, 'user'), { needed, whilePaused: false }, parts),
    shared,
  )
}

function registerRoute(app: FastifyInstance, route: WebRoute, parts: Parts): void {
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyMax,
    onRequest: async (request) => {
      const visitor = await enter(request, parts, route.at === 'workspace' ? 'user' : route.open)
      // Who may not come in is told so before a large body is taken.
      if (route.at === 'workspace') admitted.set(request, admitTo(route, request, visitor, parts))
      settleMediaType(request.raw)
    },
    handler: async (request, reply) => {
      const { answer, cookies = [] } = await answerTo(route, request, parts)
      post(answer, parts)
      if (cookies.length > 0) reply.header('Set-Cookie', cookies)
      return sendAnswer(request, reply, answer, parts)
    },
  })
}

/** The one answer that does not end: which resources change. */
function registerEvents(app: FastifyInstance, parts: Parts): void {
  const enterWorkspace = async (request: FastifyRequest) =>
    admit(request, await enter(request, parts, 'user'), { needed: ['read'], whilePaused: false }, parts)
  const isWelcome = (request: FastifyRequest) =>
    enterWorkspace(request).then(
      () => true,
      // A database that is away for a moment ends no stream; whoever was refused has no business here.
      (error) => !(error instanceof Refusal),
    )
  const streams = openStreams({ changes: parts.web.changes, isWelcome })
  app.addHook('preClose', async () => streams.close())
  app.get('/w/:slug/events', { exposeHeadRoute: false }, async (request, reply) =>
    streams.open(request, reply, await enterWorkspace(request)),
  )
}

/** Sends what an operation wants to be mailed. Nobody waits for it, and its text is in no log. */
function post({ aside }: Answer, { web, logger }: Parts): void {
  for (const letter of aside?.letters ?? []) {
    web
      .sendMail?.(letter)
      .catch((error: unknown) => logger.error({ error: String(error) }, 'A mail could not be sent.'))
  }
}

/** All that is checked before the body is read, the workspace aside. */
async function enter(request: FastifyRequest, parts: Parts, open: 'anyone' | 'user'): Promise<Visitor | undefined> {
  requireSameSite(request, parts)
  const now = parts.now()
  const visitor = await parts.web.findVisitor({ cookie: request.headers.cookie, slug: slugOf(request) ?? null, now })
  if (!visitor) return open === 'anyone' ? undefined : refuse({ kind: 'unauthenticated' })
  visitors.set(request, visitor)
  callers.set(request, { workspace_id: visitor.role === null ? null : visitor.workspace_id, user_id: visitor.user_id })
  parts.web.noteVisit(visitor, now)
  return visitor
}

type Admitted = Pick<Parameters<typeof admitVisitor>[1], 'needed' | 'whilePaused'>

function admitTo(
  route: WorkspaceRoute,
  request: FastifyRequest,
  visitor: Visitor | undefined,
  parts: Parts,
): ScopeFacts {
  return admit(request, visitor, { needed: [route.needs], whilePaused: route.whilePaused }, parts)
}

function admit(request: FastifyRequest, visitor: Visitor | undefined, wanted: Admitted, parts: Parts): ScopeFacts {
  if (!visitor) return refuse({ kind: 'unauthenticated' })
  const { hosted, app_url } = parts
  return admitVisitor(visitor, { ...wanted, slug: slugOf(request) ?? '', hosted, app_url, now: parts.now() })
}

type Answered = { answer: Answer; cookies?: string[] | undefined }

async function answerTo(route: WebRoute, request: FastifyRequest, parts: Parts): Promise<Answered> {
  const plain = plainRequest(request, parts)
  const visitor = visitors.get(request)
  const request_id = request.id
  switch (route.at) {
    case 'desk':
      return deskHandlers[route.handler](deskFor(request, plain, parts), plain)
    case 'account': {
      const { lane, handler } = route
      const call = {
        surface: 'account',
        lane,
        asker: askerOf(visitor),
        request: { ...plain, handler },
        request_id,
      } as const
      return { answer: await parts.perform(call) }
    }
    case 'workspace': {
      const { lane, handler } = route
      const facts = admitted.get(request)
      if (!facts) throw new Error('A request got past the checks without an admission.')
      const call = { surface: 'workspace', lane, facts, request: { ...plain, handler }, request_id } as const
      return { answer: await parts.perform(call) }
    }
  }
}

function deskFor(request: FastifyRequest, plain: WebRequest, parts: Parts): Desk {
  const { cookie, 'user-agent': user_agent } = request.headers
  const visitor = visitors.get(request)
  const asker = askerOf(visitor)
  return {
    ...parts.web,
    visitor,
    now: parts.now(),
    behind: (work) => {
      work.then(
        (answer) => {
          if (answer.bug !== undefined)
            parts.logger.error({ request_id: request.id, bug: answer.bug }, 'A request failed inside.')
          post(answer, parts)
        },
        (error: unknown) =>
          parts.logger.error({ request_id: request.id, bug: String(error) }, 'A request failed inside.'),
      )
    },
    caller: { cookie, user_agent: user_agent?.slice(0, USER_AGENT_MAX), address: request.ip },
    account: (handler, lane) =>
      parts.perform({ surface: 'account', lane, asker, request: { ...plain, handler }, request_id: request.id }),
  }
}

const USER_AGENT_MAX = 500

function askerOf(visitor: Visitor | undefined): Asker {
  return visitor ? { user_id: visitor.user_id, session_id: visitor.session_id } : null
}

function plainRequest(request: FastifyRequest, parts: Parts): WebRequest {
  const at = request.url.indexOf('?')
  const { app_url, api_domain, hosted } = parts
  const api_url = api_domain === undefined ? `${app_url}/api` : `https://${api_domain}`
  const site: Site = { app_url, api_url, hosted, mail: parts.web.sendMail !== undefined }
  return {
    params: paramsOf(request),
    query: at === -1 ? '' : request.url.slice(at + 1),
    body: sentBody(request),
    site,
  }
}

function slugOf(request: FastifyRequest): string | undefined {
  return paramsOf(request).slug
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  // The names in our paths stand for text, one each.
  return request.params as Record<string, string>
}
