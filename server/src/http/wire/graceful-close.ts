import type { FastifyInstance } from 'fastify'

const CLOSE_IDLE_EVERY_MS = 100

/**
 * While the service stops, every answer closes its connection: an idle one would keep the process from exiting, and a
 * proxy would send a request on it that the service no longer reads.
 */
export function closeGracefully(app: FastifyInstance, isStopping: () => boolean): void {
  app.addHook('preClose', async () => {
    // For connections whose answer was sent before the service began to stop.
    setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping()) reply.header('Connection', 'close')
  })
}
