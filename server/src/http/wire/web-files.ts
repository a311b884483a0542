import { existsSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { APPLICATION, filesBelow, GUIDE, registerBuiltFiles } from './built-files.ts'
import { registerGuide } from './guide-files.ts'

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

/** Every other address that a browser opens is a screen of the application, which shows its own 404 page. */
function isScreen({ url, headers }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0] ?? url
  return headers.accept?.includes('text/html') === true && !OURS.test(path)
}
