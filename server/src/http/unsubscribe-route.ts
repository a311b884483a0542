import type { FastifyInstance } from 'fastify'
import { plainRequest } from './app/authorize.ts'
import type { AppParts } from './parts.ts'
import { readBodiesAsBytes } from './wire/receive-bodies.ts'
import { sendAnswer, sendFailure } from './wire/send-answer.ts'

/**
 * RFC 8058: the program in which a mail is read sends the link of its `List-Unsubscribe` header, without a session. Who
 * opens the link in a browser gets a screen of the application that asks.
 */
export function registerUnsubscribe(app: FastifyInstance, parts: AppParts): void {
  const wire = { ...parts, mediaType: 'application/json' }
  readBodiesAsBytes(app, parts)
  app.setErrorHandler((error, _request, reply) => sendFailure(reply, error, wire))
  app.post('/unsubscribe', { bodyLimit: BODY_MAX_BYTES }, async (request, reply) => {
    const token = new URL(request.url, parts.app_url).searchParams.get('token') ?? ''
    const own = { ...plainRequest(request, parts), params: { token }, handler: 'unsubscribe' }
    const call = { surface: 'account', lane: 'write', holder: null, request: own, request_id: request.id } as const
    return sendAnswer(reply.header('Cache-Control', 'no-store'), await parts.execute(call), wire)
  })
}

/** The body only says that it is one click. */
const BODY_MAX_BYTES = 1024
