import { Refusal } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../server.ts'
import { type Entrance, registerOtherMethods, registerV1Routes } from '../v1/register.ts'
import { goneOf } from '../wire/gone.ts'
import { sendAnswer, sendFailure } from '../wire/send-answer.ts'
import { readBodiesAsBytes, settleMediaType } from '../wire/sent-body.ts'
import { askerOf, deskFor, post } from './desk.ts'
import { deskHandlers } from './desk-handlers.ts'
import { enter, enterWorkspace, spendOfUser, visitors } from './enter.ts'
import { openStreams } from './events.ts'
import { registerExport } from './export-route.ts'
import { plainRequest } from './plain-request.ts'
import {
  type ExportRoute,
  methodsByWebPath,
  type StreamRoute,
  type WebRoute,
  type WorkspaceRoute,
  webRoutes,
} from './routes.ts'
import type { Parts } from './web-parts.ts'

/** Who was let into which workspace, kept until the handler runs. */
const admitted = new WeakMap<FastifyRequest, ScopeFacts>()

/** The private interface of the web application, below `/api/app`: for browsers, with a session's cookie. */
export function registerWeb(app: FastifyInstance, shared: AppParts): void {
  const parts: Parts = { ...shared, mediaType: 'application/json' }
  readBodiesAsBytes(app)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
  })
  app.setErrorHandler((error, request, reply) => sendFailure(request, reply, error, parts))
  for (const route of webRoutes) {
    if (route.at === 'stream') registerStream(app, route, parts)
    else if (route.at === 'export') registerExport(app, route, parts)
    else registerRoute(app, route, parts)
  }
  for (const [path, methods] of methodsByWebPath()) registerOtherMethods(app, path, methods)
  const asMember: Entrance = (request, reply, { abilities: needed }) =>
    enterWorkspace(request, { needed, whilePaused: false, reply }, parts)
  registerV1Routes(app, '/w/:slug/v1', asMember, shared)
}

/** A route whose answer ends. */
type PlainRoute = Exclude<WebRoute, StreamRoute | ExportRoute>

function registerRoute(app: FastifyInstance, route: PlainRoute, parts: Parts): void {
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyMax,
    onRequest: async (request, reply) => {
      // Who may not come in is told so before a large body is taken.
      if (route.at === 'workspace') {
        admitted.set(request, await enterWorkspace(request, { ...wantedBy(route), reply }, parts))
      } else {
        const visitor = await enter(request, parts, route.open)
        if (visitor) await spendOfUser(visitor, reply, parts)
      }
      settleMediaType(request.raw)
    },
    handler: async (request, reply) => {
      const { answer, cookies = [] } = await answerTo(route, request, parts)
      post(answer, parts)
      if (answer.aside?.closed) parts.web.wipeSoon()
      if (cookies.length > 0) reply.header('Set-Cookie', cookies)
      return sendAnswer(request, reply, answer, parts)
    },
  })
}

/** The one answer that does not end: which resources change. */
function registerStream(app: FastifyInstance, route: StreamRoute, parts: Parts): void {
  const isWelcome = (request: FastifyRequest) =>
    enterWorkspace(request, wantedBy(route), parts).then(
      () => true,
      // A database that is away for a moment ends no stream; whoever was refused has no business here.
      (error) => !(error instanceof Refusal),
    )
  const { changes, sessionsIn } = parts.web
  const streams = openStreams({ changes, isWelcome, sessionsIn })
  app.addHook('preClose', async () => streams.close())
  app.get(route.path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await enterWorkspace(request, { ...wantedBy(route), reply }, parts)
    streams.open(request, reply, { facts, session_id: visitors.get(request)?.session_id ?? '' })
    // Whoever only listens takes up no room of those who want something done.
    reply.raw.off('close', parts.gate.left)
    parts.gate.left()
    return reply
  })
}

function wantedBy({ needs, whilePaused }: Pick<WorkspaceRoute, 'needs' | 'whilePaused'>) {
  return { needed: [needs], whilePaused }
}

type Answered = { answer: Answer; cookies?: string[] | undefined }

async function answerTo(route: PlainRoute, request: FastifyRequest, parts: Parts): Promise<Answered> {
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
      return { answer: await parts.perform(call, goneOf(request)) }
    }
  }
}
