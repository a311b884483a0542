import type { FastifyInstance } from 'fastify'
import type { SignedBody } from '../accounts/stripe-events.ts'
import type { Answer } from '../calls/answer.ts'

/** What the routes that are not part of the public interface need. */
export type PrivateParts = {
  /** Undefined where no subscriptions are sold. */
  takeStripeEvent: ((sent: SignedBody) => Promise<void>) | undefined
  answerError(error: unknown, requestId: string): Answer
}

/** Stripe's webhook. */
export function registerPrivateRoutes(app: FastifyInstance, parts: PrivateParts): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => {
    const { status, body, headers } = parts.answerError(error, request.id)
    return reply
      .code(status)
      .headers(headers ?? {})
      .type('application/json')
      .send(body)
  })
  const { takeStripeEvent } = parts
  if (takeStripeEvent) {
    app.post('/stripe/webhook', async (request, reply) => {
      const signature = request.headers['stripe-signature']
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await takeStripeEvent({ body, signature: typeof signature === 'string' ? signature : undefined })
      return reply.send({ received: true })
    })
  }
}
