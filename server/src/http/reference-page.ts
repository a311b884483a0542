import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { compressed, keptBytes, madeOnce, type StaticFile, sendKept } from './wire/file-stream.ts'

export const SCALAR_VERSION = '1.72.1'

const folder = new URL('../../reference/', import.meta.url)
const SCALAR = `scalar-${SCALAR_VERSION}.js`
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/**
 * The interactive reference at `/docs`, rendered in the browser from the OpenAPI document. It loads nothing from other
 * hosts.
 */
export function registerReference(app: FastifyInstance, { api_domain }: { api_domain: string | undefined }): void {
  const page = madeOnce(async () => (await readFile(new URL('page.html', folder), 'utf8')).replace('SCALAR', SCALAR))
  const script = madeOnce(async () => keptBytes(JAVASCRIPT, await readFile(new URL('start.js', folder))))
  const bundle = scalarBundle()
  app.get('/docs', async (_request, reply) => {
    reply.headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentPolicy(api_domain),
      'Cache-Control': 'no-cache',
    })
    return page()
  })
  app.get('/docs/', async (_request, reply) => reply.redirect('/docs', 308))
  app.get('/docs/start.js', async (request, reply) => sendKept(request, reply, await script()))
  app.get(`/docs/${SCALAR}`, (request, reply) => sendKept(request, reply, bundle))
}

/** Allows scripts only from this host, and none inline. The bundle needs inline styles. */
function contentPolicy(apiDomain: string | undefined): string {
  const api = apiDomain === undefined ? '' : ` https://${apiDomain}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self'${api}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Read with the first request. Browsers accept Brotli over https and on localhost, otherwise gzip. */
function scalarBundle(): StaticFile {
  const brotli = madeOnce(() => readFile(new URL('scalar.js.br', folder)))
  const plain = async () => promisify(brotliDecompress)(await brotli())
  return {
    type: JAVASCRIPT,
    etag: SCALAR_VERSION,
    cache: 'for good',
    plain,
    encoded: [
      ['br', brotli],
      ['gzip', madeOnce(async () => compressed(await plain()))],
    ],
  }
}
