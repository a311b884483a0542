import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const built = fileURLToPath(new URL('../../../web/dist/', import.meta.url))

/** The web application, as `npm ci` has built it. Its files bear a hash of what is in them and are kept for good; its page is not. */
export async function registerWebFiles(app: FastifyInstance): Promise<void> {
  if (!existsSync(built)) return
  await app.register(fastifyStatic, {
    root: built,
    wildcard: false,
    cacheControl: false,
    setHeaders(reply, path) {
      const kept = path.includes('/assets/')
      reply.header('Cache-Control', kept ? 'public, max-age=31536000, immutable' : 'no-cache')
      reply.header('X-Content-Type-Options', 'nosniff')
    },
  })
}
