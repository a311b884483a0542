import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import {
  READ_BYTES_PER_SECOND,
  READ_SECONDS,
  UNREAD_FREE_BYTES,
  UNREAD_MAX_BYTES,
  UNREAD_PER_CALLER_MAX_BYTES,
} from '@kith/contract/limits'
import { Refusal, refuse } from '@kith/contract/refusal'
import type { ConnectionError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { SessionUser } from '../../accounts/sign-in/sessions.ts'
import type { Bearer } from '../../accounts/tokens.ts'
import { type Answer, answerRefusal } from '../../calls/answer.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { LoadShedder } from '../../telemetry/observability.ts'
import type { ObservedRequest, Observer } from '../../telemetry/observed.ts'
import type { Payment } from '../pay.ts'
import { leaveInFlight } from './event-stream.ts'
import { callerOf, give, type Share, take, type Usage } from './receive-bodies.ts'
import { sendFailure, type WireParts } from './send-answer.ts'

/** Counts requests in flight, sheds load, limits unread answers, and reports each request to log and metrics. */
export function observeRequests(
  app: FastifyInstance,
  {
    shedder,
    observers,
    logger,
    isBusy,
    refuseOutdated,
  }: Pick<WireParts, 'isBusy' | 'logger'> & {
    refuseOutdated(): void
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
        refuseOutdated()
        shedder.refuseWhenFull()
      } catch (error) {
        void sendFailure(reply, error, { isBusy, logger, mediaType: 'application/json' })
        return
      }
    }
    done()
  })
  const hold = holdUnread(shedder)
  app.addHook('onSend', (_request, reply, payload, done) => {
    leaveInFlight(reply, shedder)
    done(null, hold(reply, payload))
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

/**
 * Limits the memory of answers that clients do not read, and the time that they may take. Above the limit the answer of
 * a read is a refusal. A write has taken effect, so its connection is closed instead.
 */
function holdUnread(shedder: LoadShedder): (reply: FastifyReply, payload: unknown) => unknown {
  const bytes: Usage = new Map()

  function sharesOf({ request }: FastifyReply): Share[] {
    return [
      { key: callerOf(request), most: UNREAD_PER_CALLER_MAX_BYTES, refuse: tooMuchUnread },
      { key: 'all', most: UNREAD_MAX_BYTES, refuse: () => shedder.refuse('unread') },
    ]
  }

  function expire({ raw }: FastifyReply, length: number): void {
    const seconds = READ_SECONDS + Math.floor(length / READ_BYTES_PER_SECOND)
    const timer = setTimeout(() => raw.destroy(), seconds * 1000).unref()
    raw.once('close', () => clearTimeout(timer))
  }

  return (reply, payload) => {
    const { raw, request } = reply
    if (raw.closed) return payload
    const length = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    expire(reply, length)
    if (length <= UNREAD_FREE_BYTES) return payload
    const shares = sharesOf(reply)
    try {
      take(bytes, shares, length)
    } catch (error) {
      if (isRead(request) && error instanceof Refusal) return replaceBy(error, reply)
      raw.destroy()
      return payload
    }
    raw.once('close', () => give(bytes, shares, length))
    return payload
  }
}

function isRead({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD' || /\/(?:query|summary)$/.test(url)
}

/** Sends a refusal instead of an answer. Returns its body. */
function replaceBy(refusal: Refusal, reply: FastifyReply): string | null {
  const { status, headers, body } = answerRefusal(refusal)
  for (const name of ['content-encoding', 'etag', 'link', 'cache-control']) reply.removeHeader(name)
  reply.code(status).headers({ ...headers, 'Content-Type': 'application/json' })
  return body
}

function tooMuchUnread(): never {
  const most = `${UNREAD_PER_CALLER_MAX_BYTES / 1024 / 1024} MiB`
  const message = `The responses that you have requested and not read yet have more than ${most} together.`
  refuse({ kind: 'rate_limited', message: `${message} Read one of them first.`, retry_after: 1 })
}

/** Neither query strings nor headers are logged: they may contain private data. */
function logAccess(logger: Logger, request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply): void {
  const { id: request_id, method } = request
  const route = routeOf(request)
  const { workspace_id: workspace, token_id: token, user_id: user } = request.caller ?? {}
  const ms = Math.round(elapsedTime * 10) / 10
  logger.info({ request_id, method, route, path: loggedPath(request), status, ms, workspace, user, token }, 'request')
}

/** The route without the pattern of a parameter. */
function routeOf({ routeOptions: { url = 'none' } }: FastifyRequest): string {
  return url.replace(/\(.*\)/, '')
}

/** A path that contains a secret is replaced by its route. */
function loggedPath({ originalUrl, routeOptions: { url = '' } }: FastifyRequest): string | undefined {
  return url.includes('/:token') ? url : originalUrl.split('?', 1)[0]
}

function observedRequest(request: FastifyRequest, reply: FastifyReply): ObservedRequest {
  const { traceparent } = request.headers
  return {
    method: request.method,
    route: routeOf(request),
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

declare module 'fastify' {
  /** Facts about a request that the checks before its body find out. */
  interface FastifyRequest {
    /** A token, or a user of the application. Set as soon as the caller is known. */
    caller: { workspace_id: string | null; token_id?: string; user_id: string; expires_at?: string | null } | undefined
    bearer: Bearer | undefined
    sessionUser: SessionUser | undefined
    /** The member and workspace. */
    admitted: ScopeFacts | undefined
    /** Paid before the body is read. */
    payment: Payment | undefined
    /** The media type of a file, before Fastify sees another one. */
    fileType: string | undefined
  }
}

/** Fastify needs the names before the first request, so that all requests have one shape. */
function declareRequestFacts(app: FastifyInstance): void {
  for (const name of ['caller', 'bearer', 'sessionUser', 'admitted', 'payment', 'fileType'])
    app.decorateRequest(name, undefined)
}
