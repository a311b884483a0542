import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const built = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

/** Only our own scripts, none inline. Floating and dragged elements need inline styles. */
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

/** Paths of the service: never a screen of the application. */
const OURS = /^\/(api|v1|mcp|docs|assets|healthz|readyz|metrics|\.well-known|-)(\/|$)/

/** The web application as built by `npm ci`. File names contain a content hash, so only the page is revalidated. */
export async function registerWebFiles(app: FastifyInstance): Promise<void> {
  if (!existsSync(built)) return
  await app.register(fastifyStatic, {
    root: built,
    // One route below sends all files: a route for each of the hundreds would slow down every start.
    serve: false,
    cacheControl: false,
    // The build writes each file in Brotli and gzip as well.
    preCompressed: true,
    setHeaders(reply, path) {
      const kept = path.includes('/assets/')
      reply.header('Cache-Control', kept ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (!/index\.html(\.br|\.gz)?$/.test(path)) return
      reply.header('Content-Security-Policy', CONTENT_POLICY)
      // A page that opens ours in a window gets no reference to it.
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

/** Every other address that a browser opens is a screen of the application, which shows its own 404 page. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? url
  return headers.accept?.includes('text/html') === true && !OURS.test(path)
}
