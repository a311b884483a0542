import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answerRefusal } from '../../calls/answer.ts'
import { APPLICATION, filesBelow, GUIDE, PAGE_HEADERS, registerBuiltFiles } from './built-files.ts'

/** Paths of the service: never a screen of the application. */
const OURS = /^\/(api|v1|mcp|docs|guide|assets|healthz|readyz|metrics|\.well-known|-)(\/|$)/

/** The guide and the web application, as far as they are built. */
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

/** Every other address that a browser opens is a screen of the application, which shows its own 404 page. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? url
  return headers.accept?.includes('text/html') === true && !OURS.test(path)
}
