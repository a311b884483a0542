import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openApiDocument } from './openapi/document.ts'
import { type Kept, keptBytes, sendKept } from './wire/compressed-file.ts'

type Addresses = { default_host: string; api_domain: string | undefined }

const HERE = 'https://here.invalid'
const KEPT_MAX = 16

/** The OpenAPI document at `/api/openapi.json`, for everybody. Its server is the address on which it was asked for. */
export function registerOpenApi(app: FastifyInstance, addresses: Addresses): void {
  const known = new Map<string, Kept>()
  app.get('/api/openapi.json', async (request, reply) => {
    const server = serverOf(request, addresses)
    let document = known.get(server)
    if (document === undefined) {
      document = documentFor(server)
      // Invented host names must not fill the memory.
      if (known.size >= KEPT_MAX) known.clear()
      known.set(server, document)
    }
    // It holds nothing that is not public, and tools in browsers read it from anywhere.
    reply.header('Access-Control-Allow-Origin', '*')
    return sendKept(request, reply, document)
  })
}

function serverOf(request: FastifyRequest, { default_host, api_domain }: Addresses): string {
  const origin = `${request.protocol}://${request.host || default_host}`
  if (api_domain === undefined) return `${origin}/api`
  const onApiDomain = request.originalUrl.startsWith('/v1/')
  return onApiDomain ? origin : `https://${api_domain}`
}

let text: string | undefined

function documentFor(server: string): Kept {
  text ??= JSON.stringify(openApiDocument(HERE))
  const escaped = JSON.stringify(server).slice(1, -1)
  return keptBytes('application/json', Buffer.from(text.replaceAll(HERE, () => escaped)))
}
