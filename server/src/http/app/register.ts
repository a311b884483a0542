import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { type AdmitAgain, type Authorize, registerOtherMethods, registerV1Routes } from '../v1/register.ts'
import { methodsByPath, type V1Route } from '../v1/routes.ts'
import { normalizeMediaType, readBodiesAsBytes } from '../wire/body.ts'
import { disconnectCheck, sendAnswer, sendFailure } from '../wire/send-answer.ts'
import { authorizeMember, authorizeSession, sessionUsers, spendOfUser } from './authorize.ts'
import { openStreams } from './events.ts'
import { registerExport } from './export-route.ts'
import { registerPicture } from './picture-route.ts'
import { plainRequest } from './plain-request.ts'
import { type WebRoute, type WorkspaceRoute, webRoutes } from './routes.ts'
import { holderOf, newSessionContext, type SessionAnswer, sendMails } from './session-context.ts'
import { sessionHandlers } from './session-handlers.ts'
import { handlerRequest } from './web-request.ts'

/** The member and workspace of a request, from the checks before its body is read. */
const admitted = new WeakMap<FastifyRequest, ScopeFacts>()

/** The private API of the web application, below `/api/app`: for browsers with a session cookie. */
export function registerWeb(app: FastifyInstance, parts: AppParts): void {
  const wire = { ...parts, mediaType: 'application/json' }
  readBodiesAsBytes(app)
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
  for (const [path, methods] of methodsByPath(webRoutes)) registerOtherMethods(app, path, methods)
  const wanted = ({ abilities, permissions = [] }: V1Route) => {
    // Like other settings, fields can be changed while the workspace is paused.
    return { needed: [...abilities, ...permissions], whilePaused: permissions.includes('manage_fields') }
  }
  const authorize: Authorize = (request, reply, route) => authorizeMember(request, { ...wanted(route), reply }, parts)
  const admitAgain: AdmitAgain = (request, route) => authorizeMember(request, wanted(route), parts)
  registerV1Routes(app, { prefix: '/w/:slug/v1', authorize, admitAgain }, parts)
}

function registerRoute(app: FastifyInstance, route: WebRoute, parts: AppParts): void {
  const wire = { ...parts, mediaType: 'application/json' }
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyMax,
    onRequest: async (request, reply) => {
      if ('needs' in route) {
        admitted.set(request, await authorizeMember(request, { ...wantedBy(route), reply }, parts))
      } else {
        const sessionUser = await authorizeSession(request, parts, route.open)
        if (sessionUser) await spendOfUser(sessionUser, reply, parts)
      }
      normalizeMediaType(request.raw)
    },
    handler: async (request, reply) => {
      const { answer, cookies = [] } = await answerTo(route, request, parts)
      sendMails(answer, parts)
      if (answer.aside?.closed) parts.web.wipeSoon()
      if (cookies.length > 0) reply.header('Set-Cookie', cookies)
      return sendAnswer(reply, answer, wire)
    },
  })
}

/** Server-sent events about changed resources. */
function registerStream(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const admitAgain = (request: FastifyRequest) => authorizeMember(request, wantedBy(route), parts)
  const streams = openStreams({ ...parts.web, shedder: parts.shedder, admitAgain })
  app.addHook('preClose', async () => streams.close())
  app.get(route.path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await authorizeMember(request, { ...wantedBy(route), reply }, parts)
    streams.open(request, reply, { facts, session_id: sessionUsers.get(request)?.session_id ?? '' })
    return reply
  })
}

function wantedBy({ needs, whilePaused }: WorkspaceRoute) {
  return { needed: [needs], whilePaused }
}

async function answerTo(route: WebRoute, request: FastifyRequest, parts: AppParts): Promise<SessionAnswer> {
  const plain = plainRequest(request, parts)
  const request_id = request.id
  switch (route.at) {
    case 'session':
      return sessionHandlers[route.handler](newSessionContext(request, plain, parts), handlerRequest(plain))
    case 'account': {
      const { lane, handler } = route
      const holder = holderOf(sessionUsers.get(request))
      const call = { surface: 'account', lane, holder, request: { ...plain, handler }, request_id } as const
      return { answer: await parts.execute(call) }
    }
    default: {
      const { lane, handler } = route
      const facts = admitted.get(request)
      if (!facts) throw new Error('A request got past the checks without an admission.')
      const call = { surface: 'workspace', lane, facts, request: { ...plain, handler }, request_id } as const
      return { answer: await parts.execute(call, disconnectCheck(request)) }
    }
  }
}
