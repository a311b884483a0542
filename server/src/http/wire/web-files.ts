import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const built = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

/** Scripts from here only and none inside the page. Styles are set on elements by what floats and by what is dragged. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** What the service answers itself, also where there is nothing. */
const OURS = /^\/(api|v1|mcp|docs|assets|healthz|readyz|metrics|\.well-known|-)(\/|$)/

/** The web application, as `npm ci` has built it. Its files bear a hash of what is in them and are kept for good; its page is not. */
export async function registerWebFiles(app: FastifyInstance): Promise<void> {
  if (!existsSync(built)) return
  await app.register(fastifyStatic, {
    root: built,
    // Files are sent by the one route below: there are hundreds, and a route for each of them would be made at every start.
    serve: false,
    cacheControl: false,
    // The build has written each file in the two encodings that browsers take.
    preCompressed: true,
    setHeaders(reply, path) {
      const kept = path.includes('/assets/')
      reply.header('Cache-Control', kept ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (!/index\.html(\.br|\.gz)?$/.test(path)) return
      reply.header('Content-Security-Policy', CONTENT_POLICY)
      // Whoever opens the page in a window of theirs gets no hold of it.
      reply.header('Cross-Origin-Opener-Policy', 'same-origin')
    },
  })
  const files = filesBelow(built)
  app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const file = request.params['*'] || 'index.html'
    if (files.has(file)) return reply.sendFile(file)
    if (!isScreen(request)) return reply.callNotFound()
    return reply.sendFile('index.html')
  })
}

/** As they are named in addresses: `assets/app.js`. */
function filesBelow(folder: string): Set<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Set(entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/')))
}

/** Every address that a browser opens is a screen of the application, which also says where there is none. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? url
  return headers.accept?.includes('text/html') === true && !OURS.test(path)
}
