import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answerRefusal } from '../../calls/answer.ts'

/** Paths of the service, which are never screens of the application. */
const OURS = /^\/(api|v1|mcp|docs|guide|assets|healthz|readyz|metrics|\.well-known|-)(\/|$)/

/** Serves the guide and the web application, if they are built. */
export async function registerWebFiles(app: FastifyInstance, { guide = GUIDE }: { guide?: string }): Promise<void> {
  const built = [APPLICATION, guide].filter((folder) => existsSync(folder))
  if (built.length > 0) await registerBuiltFiles(app, built)
  registerGuide(app, guide)
  if (!built.includes(APPLICATION)) return
  const files = filesBelow(APPLICATION)
  app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const file = request.params['*'] || 'index.html'
    if (files.has(file)) return reply.sendFile(file, APPLICATION)
    if (!isScreen(request)) return reply.callNotFound()
    return reply.sendFile('index.html', APPLICATION)
  })
}

const NOT_BUILT = 'The guide is not built. Run npm run docs in the folder of Kith, then start the service again.'

/** The guide at `/guide/`. The addresses of its pages have no `.html`. */
function registerGuide(app: FastifyInstance, folder: string): void {
  app.get('/guide', (_request, reply) => reply.redirect('/guide/', 308))
  if (!existsSync(folder)) {
    const { status, body } = answerRefusal(new Refusal({ kind: 'not_found', message: NOT_BUILT }))
    app.get('/guide/*', (_request, reply) => reply.code(status).type('application/json').send(body))
    return
  }
  const files = filesBelow(folder)
  const missing = readFileSync(join(folder, '404.html'), 'utf8')
  app.get<{ Params: { '*': string } }>('/guide/*', (request, reply) => {
    const path = request.params['*']
    const file = [path, `${path}.html`, `${path}index.html`].find((name) => files.has(name))
    if (file !== undefined) return reply.sendFile(file, folder)
    if (files.has(`${path}/index.html`)) return reply.redirect(`/guide/${path}/`, 308)
    return reply.code(404).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(missing)
  })
}

/** Every other URL that a browser opens is a screen of the application, which shows its own 404 page. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? url
  return headers.accept?.includes('text/html') === true && !OURS.test(path)
}

/** Built by `npm ci`. */
const APPLICATION = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

/** Built by `npm run docs`. */
const GUIDE = fileURLToPath(new URL('../../../../docs/dist/', import.meta.url))

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

const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_POLICY,
  // A page that opens ours in a window gets no reference to it.
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** Lets routes send files of these folders. Names in `assets` contain a content hash, so only pages are revalidated. */
async function registerBuiltFiles(app: FastifyInstance, folders: string[]): Promise<void> {
  await app.register(fastifyStatic, {
    root: folders,
    // One route per folder sends all its files: hundreds of routes would slow down every start.
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

/** File names as in URLs: `assets/app.js`. */
function filesBelow(folder: string): Set<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Set(entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/')))
}
