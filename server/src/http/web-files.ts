import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const built = fileURLToPath(new URL('../../../web/dist/', import.meta.url))

/** Scripts from here only and none inside the page. Styles are set on elements by what floats and by what is dragged. */
const CONTENT_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The web application, as `npm ci` has built it. Its files bear a hash of what is in them and are kept for good; its page is not. */
export async function registerWebFiles(app: FastifyInstance): Promise<void> {
  if (!existsSync(built)) return
  await app.register(fastifyStatic, {
    root: built,
    wildcard: false,
    cacheControl: false,
    // The build has written each file in the two encodings that browsers take.
    preCompressed: true,
    setHeaders(reply, path) {
      const kept = path.includes('/assets/')
      reply.header('Cache-Control', kept ? 'public, max-age=31536000, immutable' : 'no-cache')
      reply.header('X-Content-Type-Options', 'nosniff')
      if (!/index\.html(\.br|\.gz)?$/.test(path)) return
      reply.header('Content-Security-Policy', CONTENT_POLICY)
      reply.header('Referrer-Policy', 'same-origin')
    },
  })
  app.get('/*', (request, reply) => {
    if (!isScreen(request)) return reply.callNotFound()
    return reply.sendFile('index.html')
  })
}

/** Every address that a browser opens is a screen of the application, which also says where there is none. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? url
  return headers.accept?.includes('text/html') === true && !/^\/(api|v1|docs|assets|-)(\/|$)/.test(path)
}
