import type { FastifyInstance } from 'fastify'
import type { AppParts } from './parts.ts'
import { readBodiesAsBytes } from './wire/body.ts'
import { sendFailure } from './wire/send-answer.ts'

type PrivateParts = Pick<AppParts, 'takeStripeEvent' | 'isBusy' | 'logger'>

/** Stripe's webhook, which is not part of the public API. */
export function registerPrivateRoutes(app: FastifyInstance, { takeStripeEvent, isBusy, logger }: PrivateParts): void {
  if (!takeStripeEvent) return
  readBodiesAsBytes(app)
  const wire = { isBusy, logger, mediaType: 'application/json' }
  app.setErrorHandler((error, _request, reply) => sendFailure(reply, error, wire))
  app.post('/stripe/webhook', async (request, reply) => {
    const signature = request.headers['stripe-signature']
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    await takeStripeEvent({ body, signature: typeof signature === 'string' ? signature : undefined })
    return reply.send({ received: true })
  })
}
