import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { AppParts } from '../server.ts'
import { answerError } from './answer-errors.ts'
import { readOff } from './read-off.ts'

export type WireParts = Pick<AppParts, 'isBusy' | 'logger'> & {
  /** The media type of an answer that is no error. */
  mediaType: string
}

/** Puts an answer on the wire. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  { logger, mediaType }: WireParts,
): FastifyReply {
  const { status, body, headers, bug } = answer
  if (bug !== undefined) logger.error({ request_id: request.id, bug }, 'A request failed inside.')
  if (headers) reply.headers(headers)
  reply.code(status)
  if (body === null) return reply.send()
  // With a serialiser of its own, or Fastify would add a charset, which the media type of JSON:API does not have. As text,
  // because head and body then leave in one piece.
  return reply
    .header('Content-Type', status < 400 ? mediaType : 'application/json')
    .serializer(asItIs)
    .send(body)
}

function asItIs(body: string): string {
  return body
}

/** Likewise for whatever went wrong on the way. */
export async function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown, parts: WireParts) {
  if (hasGone(request)) return sendAnswer(request, reply, { status: 499, body: null }, parts)
  return sendAnswer(request, reply, await answerFailure(request, error, parts), parts)
}

/** What to say about it. A body that is too large is read off before that. */
export async function answerFailure(request: FastifyRequest, error: unknown, { isBusy }: WireParts): Promise<Answer> {
  const answer = answerError(asRefusal(error) ?? error, isBusy(error), request.id)
  if (answer.status === 413) await readOff(request.raw)
  return answer
}

/** Whoever hung up before the body was there gets no answer. That is no bug, and the access log says 499 for it, as proxies do. */
function hasGone({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** What Fastify itself refuses before a handler runs, in our words. */
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
