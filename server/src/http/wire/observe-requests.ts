import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { Refusal } from '@kith/contract/refusal'
import type { ConnectionError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Answer, answerRefusal } from '../../calls/answer.ts'
import type { LoadShedder } from '../../telemetry/observability.ts'
import type { ObservedRequest, Observer } from '../../telemetry/observed.ts'
import { declareRequestFacts } from './request-facts.ts'
import { sendFailure, type WireParts } from './send-answer.ts'

/** Counts requests in flight, sheds load, and reports every answered request to the log, metrics and traces. */
export function observeRequests(
  app: FastifyInstance,
  {
    shedder,
    observers,
    logger,
    isBusy,
  }: Pick<WireParts, 'isBusy' | 'logger'> & {
    shedder: LoadShedder
    observers: readonly Observer[]
  },
): void {
  declareRequestFacts(app)
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
  const { workspace_id: workspace, token_id: token, user_id: user } = request.caller ?? {}
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
    workspace: request.caller?.workspace_id ?? undefined,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  }
}

/** Enough for a filter in the URL with operands of the maximum length, in any script. */
export const HEAD_MAX_BYTES = 64 * 1024

/** How long the client may keep sending: closing at once could lose the answer. */
const LINGER_MS = 1000

/** Node's own list is in a module that also loads an HTTP client, which takes a tenth of the start-up. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  422: 'Unprocessable Entity',
  431: 'Request Header Fields Too Large',
}

/** Answers requests that Node cannot parse as HTTP, in the form of all other errors. */
export function answerMalformed(error: ConnectionError, socket: Socket): void {
  // Later data on the same connection fails again, but was already answered.
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const { status, body } = answerTo(error.code)
  const bytes = Buffer.from(body ?? '')
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function answerTo(code: string): Answer {
  switch (code) {
    case 'HPE_INVALID_URL': {
      // Bytes outside ASCII are ambiguous in a URL, and a wrong guess would match the wrong records.
      const message = 'The address must be ASCII; percent-encode everything else as UTF-8.'
      return answerRefusal(new Refusal({ kind: 'invalid', issues: [{ path: 'query', message }] }))
    }
    case 'HPE_HEADER_OVERFLOW': {
      const most = `The address and the headers must not be larger than ${HEAD_MAX_BYTES / 1024} KB together.`
      return answerWith(431, `${most} A larger filter fits in the body of a query.`)
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return answerWith(408, 'The request did not arrive in time.')
    default:
      return answerWith(400, 'The request is not valid HTTP.')
  }
}

function answerWith(status: number, message: string): Answer {
  return { status, body: JSON.stringify({ message }) }
}
