import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Answer, answerError } from '../../calls/answer.ts'
import type { IsDisconnected } from '../../calls/call.ts'
import { encodingsOf, variesBy } from './file-stream.ts'

export type WireParts = {
  isBusy(error: unknown): Promise<boolean>
  logger: Logger
  /** The media type of an answer that is not an error. */
  mediaType: string
  /**
   * Whether large answers are compressed. Only for surfaces that never return secrets together with input of the
   * caller.
   */
  compress?: true
}

/** Writes an answer to the connection. */
export function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  { logger, mediaType, compress }: WireParts,
): FastifyReply | Promise<FastifyReply> {
  const { status, bytes, headers, bug } = answer
  const body = bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : answer.body
  if (bug !== undefined) logger.error({ request_id: reply.request.id, bug }, 'A request failed with an internal error.')
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

/** Below this size, head and body fit into one packet anyway. */
const LARGE_BYTES = 1024

/** The fastest level: it already finds most repetitions in JSON. */
const LEVEL = 1

const compressed = promisify(gzip)

/** Sends a large body, in gzip if the client accepts it. The compression runs outside the event loop. */
function sendCompressed(reply: FastifyReply, body: string | Buffer): FastifyReply | Promise<FastifyReply> {
  variesBy(reply, 'Accept-Encoding')
  const accepted = reply.request.headers['accept-encoding']
  if (accepted === undefined || !encodingsOf(accepted).has('gzip')) return reply.send(body)
  return compressed(body, { level: LEVEL }).then((bytes) => reply.header('Content-Encoding', 'gzip').send(bytes))
}

/** Sends an error. A client that disconnected before its body was complete is logged as 499, as proxies do. */
export async function sendFailure(reply: FastifyReply, error: unknown, parts: WireParts): Promise<FastifyReply> {
  const { raw } = reply.request
  if (raw.destroyed && !raw.complete) return sendAnswer(reply, { status: 499, body: null }, parts)
  return sendAnswer(reply, answerError(error, await parts.isBusy(error), reply.request.id), parts)
}

/** Tells whether the client of a request has closed its connection. */
export function disconnectCheck({ raw }: FastifyRequest): IsDisconnected {
  return () => raw.socket.destroyed
}
