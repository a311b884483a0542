import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Answer, answerError } from '../../calls/answer.ts'
import type { IsDisconnected } from '../../calls/call.ts'
import { encodingsOf } from './compressed-file.ts'
import { drainBody } from './drain-body.ts'

export type WireParts = {
  isBusy(error: unknown): boolean
  logger: Logger
  /** The media type of an answer that is not an error. */
  mediaType: string
  /** Whether large answers are compressed. Only for surfaces that return no secrets next to what the caller sent. */
  compress?: true
}

/** Writes an answer to the connection. */
export function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  { logger, mediaType, compress }: WireParts,
): FastifyReply | Promise<FastifyReply> {
  const { status, body, headers, bug } = answer
  if (bug !== undefined) logger.error({ request_id: reply.request.id, bug }, 'A request failed inside.')
  if (headers) reply.headers(headers)
  reply.code(status)
  if (body === null) return reply.send()
  // Without its own serializer Fastify adds a charset, which the media type of JSON:API does not have. Sent as text,
  // so that head and body leave in one write.
  reply.header('Content-Type', status < 400 ? mediaType : 'application/json').serializer(unchanged)
  return compress && body.length > LARGE_BYTES ? sendCompressed(reply, body) : reply.send(body)
}

function unchanged<Body>(body: Body): Body {
  return body
}

/** Below this, head and body fit into one packet either way. */
const LARGE_BYTES = 1024
/** The fastest level: it finds most of what repeats in JSON. */
const LEVEL = 1

const compressed = promisify(gzip)

/** Sends a large text, in gzip if the client accepts it. The compression runs outside the event loop. */
function sendCompressed(reply: FastifyReply, body: string): FastifyReply | Promise<FastifyReply> {
  const vary = reply.getHeader('Vary')
  reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
  const accepted = reply.request.headers['accept-encoding']
  if (accepted === undefined || !encodingsOf(accepted).has('gzip')) return reply.send(body)
  return compressed(body, { level: LEVEL }).then((bytes) => reply.header('Content-Encoding', 'gzip').send(bytes))
}

/** Likewise for an error. A client that disconnected before its body was complete is logged as 499, as proxies do. */
export async function sendFailure(reply: FastifyReply, error: unknown, parts: WireParts): Promise<FastifyReply> {
  const { raw } = reply.request
  if (raw.destroyed && !raw.complete) return sendAnswer(reply, { status: 499, body: null }, parts)
  return sendAnswer(reply, await answerFailure(reply.request, error, parts), parts)
}

/** The answer for an error. A body that is too large, or was read in part, is drained first. */
export async function answerFailure(
  request: FastifyRequest,
  error: unknown,
  { isBusy }: Pick<WireParts, 'isBusy'>,
): Promise<Answer> {
  const answer = answerError(asRefusal(error) ?? error, isBusy(error), request.id)
  // Node itself discards a body of which nothing was read.
  if (answer.status === 413 || request.raw.readableDidRead) await drainBody(request.raw)
  return answer
}

/** Tells whether the client of a request has closed its connection. */
export function disconnectCheck({ raw }: FastifyRequest): IsDisconnected {
  return () => raw.socket.destroyed
}

/** Errors of Fastify before a handler runs, in our words. */
function asRefusal(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal({ kind: 'too_large', message: 'The request body is too large.' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal({
        kind: 'invalid',
        issues: [{ path: 'body', message: 'The request body must be a JSON object.' }],
      })
    default:
      return undefined
  }
}
