import type { FastifyInstance } from 'fastify'

const CLOSE_IDLE_EVERY_MS = 100

/** While the service stops, every answer closes its connection: an idle one would keep the process from exiting. */
export function closeGracefully(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    // For connections whose answer was sent before the service began to stop.
    setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('Connection', 'close')
  })
}
