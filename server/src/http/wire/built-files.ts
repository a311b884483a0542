import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Built by `npm ci`. */
export const APPLICATION = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

/** Built by `npm run docs`. */
export const GUIDE = fileURLToPath(new URL('../../../../docs/dist/', import.meta.url))

export const hasGuide = existsSync(GUIDE)

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

export const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_POLICY,
  // A page that opens ours in a window gets no reference to it.
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** Lets routes send files of these folders. Names in `assets` contain a content hash, so only pages are revalidated. */
export async function registerBuiltFiles(app: FastifyInstance, folders: string[]): Promise<void> {
  await app.register(fastifyStatic, {
    root: folders,
    // One route for each folder sends all its files: a route for each of the hundreds would slow down every start.
    serve: false,
    cacheControl: false,
    // The builds write each file in Brotli and gzip as well.
    preCompressed: true,
    setHeaders(reply, path) {
      const kept = path.includes('/assets/')
      reply.header('Cache-Control', kept ? 'public, max-age=31536000, immutable' : 'no-cache')
      if (/\.html(\.br|\.gz)?$/.test(path)) for (const [name, value] of pageHeaders) reply.header(name, value)
    },
  })
}

const pageHeaders = Object.entries(PAGE_HEADERS)

/** As they are named in addresses: `assets/app.js`. */
export function filesBelow(folder: string): Set<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Set(entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/')))
}
