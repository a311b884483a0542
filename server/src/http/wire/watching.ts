import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Gate } from '../../runtime/load-shedding.ts'
import type { Seen } from '../../runtime/watch.ts'
import { callers } from './callers.ts'
import { sendFailure, type WireParts } from './send-answer.ts'

export type WatchingParts = Pick<WireParts, 'isBusy' | 'logger'> & {
  gate: Gate
  /** Metrics and traces, where they are wanted. */
  watchers: readonly { saw(seen: Seen): void }[]
}

/** Counts every request in and out, turns it away when there is no room, and tells of it when it was answered. */
export function watchRequests(app: FastifyInstance, { gate, watchers, logger, isBusy }: WatchingParts): void {
  app.addHook('onRequest', (request, reply, done) => {
    gate.entered()
    reply.raw.once('close', gate.left)
    if (isShed(request)) {
      try {
        gate.refuseWhenFull()
      } catch (error) {
        void sendFailure(request, reply, error, { isBusy, logger, mediaType: 'application/json' })
        return
      }
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAccess(logger, request, reply)
    if (watchers.length > 0) {
      const seen = seenOf(request, reply)
      for (const watcher of watchers) watcher.saw(seen)
    }
    done()
  })
}

/** Whoever asks how the service is gets an answer also when it is full, and pages cost next to nothing. */
function isShed({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith('/api/') || originalUrl.startsWith('/v1/') || originalUrl.startsWith('/mcp')
}

/** Neither query strings nor headers are logged: they may hold what is nobody's business. */
function logAccess(logger: Logger, request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply): void {
  const { id: request_id, method } = request
  const route = request.routeOptions.url
  const { workspace_id: workspace, token_id: token, user_id: user } = callers.get(request) ?? {}
  const ms = Math.round(elapsedTime * 10) / 10
  logger.info({ request_id, method, route, path: loggedPath(request), status, ms, workspace, user, token }, 'request')
}

/** Of a path that holds a secret the route is logged in its place. */
function loggedPath({ originalUrl, routeOptions: { url = '' } }: FastifyRequest): string | undefined {
  return url.includes('/:token') ? url : originalUrl.split('?', 1)[0]
}

function seenOf(request: FastifyRequest, reply: FastifyReply): Seen {
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
