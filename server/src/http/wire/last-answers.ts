import type { FastifyInstance } from 'fastify'

const REAP_EVERY_MS = 100

/**
 * While the service stops, every answer is the last on its connection. Left open for the next request, it would keep the
 * service waiting long after all was answered.
 */
export function closeAfterLastAnswers(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    // For answers that were on their way already and could not say so.
    setInterval(() => app.server.closeIdleConnections(), REAP_EVERY_MS).unref()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('Connection', 'close')
    done()
  })
}
