import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { LoadShedder } from '../../runtime/observability.ts'
import type { ObservedRequest, Observer } from '../../runtime/observed.ts'
import { sendFailure, type WireParts } from './send-answer.ts'

/** Who makes a request: a token, or a user of the application. */
type KnownCaller = { workspace_id: string | null; token_id?: string; user_id: string; expires_at?: string | null }

/** Set as soon as the caller is known. */
export const callers = new WeakMap<FastifyRequest, KnownCaller>()

type ObserveParts = Pick<WireParts, 'isBusy' | 'logger'> & {
  shedder: LoadShedder
  observers: readonly Observer[]
}

/** Counts requests in flight, sheds load, and reports every answered request to the log, metrics and traces. */
export function observeRequests(app: FastifyInstance, { shedder, observers, logger, isBusy }: ObserveParts): void {
  app.addHook('onRequest', (request, reply, done) => {
    shedder.begin()
    reply.raw.once('close', shedder.end)
    if (isShed(request)) {
      try {
        shedder.refuseWhenFull()
      } catch (error) {
        void sendFailure(reply, error, { isBusy, logger, mediaType: 'application/json' })
        return
      }
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAccess(logger, request, reply)
    if (observers.length > 0) {
      const observed = observedRequest(request, reply)
      for (const observer of observers) observer.record(observed)
    }
    done()
  })
}

/** Health checks must be answered under load too, and static pages cost almost nothing. */
function isShed({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith('/api/') || originalUrl.startsWith('/v1/') || originalUrl.startsWith('/mcp')
}

/** Neither query strings nor headers are logged: they may contain private data. */
function logAccess(logger: Logger, request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply): void {
  const { id: request_id, method } = request
  const route = request.routeOptions.url
  const { workspace_id: workspace, token_id: token, user_id: user } = callers.get(request) ?? {}
  const ms = Math.round(elapsedTime * 10) / 10
  logger.info({ request_id, method, route, path: loggedPath(request), status, ms, workspace, user, token }, 'request')
}

/** A path that contains a secret is replaced by its route. */
function loggedPath({ originalUrl, routeOptions: { url = '' } }: FastifyRequest): string | undefined {
  return url.includes('/:token') ? url : originalUrl.split('?', 1)[0]
}

function observedRequest(request: FastifyRequest, reply: FastifyReply): ObservedRequest {
  const { traceparent } = request.headers
  return {
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    status: reply.statusCode,
    seconds: reply.elapsedTime / 1000,
    request_id: request.id,
    workspace: callers.get(request)?.workspace_id ?? undefined,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  }
}
