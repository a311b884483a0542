import { hash, timingSafeEqual } from 'node:crypto'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyInstance } from 'fastify'
import { answerRefusal } from '../calls/answer.ts'
import type { Metrics } from '../runtime/observed.ts'

/**
 * `/metrics`, protected by a token. Without one the route does not exist: behind a proxy on the same machine every
 * caller has a local address.
 */
export function registerMetrics(app: FastifyInstance, metrics: Metrics, token: string): void {
  const expected = digest(`Bearer ${token}`)
  app.get('/metrics', async (request, reply) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      const { status, body, headers } = answerRefusal(new Refusal({ kind: 'unauthenticated' }))
      return reply
        .code(status)
        .headers(headers ?? {})
        .type('application/json')
        .send(body)
    }
    const { type, text } = await metrics.exposition()
    return reply.type(type).header('Cache-Control', 'no-store').send(text)
  })
}

/** Of the same length whatever was sent, so that the comparison takes the same time. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
