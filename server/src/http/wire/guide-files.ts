import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyInstance } from 'fastify'
import { answerRefusal } from '../../calls/answer-errors.ts'
import { filesBelow, PAGE_HEADERS } from './built-files.ts'

const NOT_BUILT = 'The guide is not built. Run npm run docs in the folder of Kith, then start the service again.'

/** The guide at `/guide/`. The addresses of its pages have no `.html`. */
export function registerGuide(app: FastifyInstance, folder: string): void {
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
