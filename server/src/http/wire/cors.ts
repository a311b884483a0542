import type { FastifyInstance } from 'fastify'

/** The origins whose pages may call the API: a list, or all. */
export type CorsOrigins = '*' | readonly string[]

const API = /^\/api\/v1(\/|\?|$)/
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id'
const EXPOSED = [
  'ETag',
  'Location',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Schema-Version',
  'X-Records-Changed',
  'X-Change-Id',
  'X-Changes-Cursor',
  'Idempotent-Replayed',
  'X-Request-Id',
].join(', ')
/** Browsers cache it for two hours at most. */
const REMEMBERED_SECONDS = 7200

/**
 * Allows pages of other origins to call the REST API with a token. Their cookies are never accepted, and the private
 * API and the MCP server stay closed. Without origins nothing is registered.
 */
export function allowOrigins(app: FastifyInstance, origins: CorsOrigins): void {
  if (origins.length === 0) return
  app.addHook('onRequest', (request, reply, done) => {
    if (!API.test(request.url)) return done()
    if (origins !== '*') reply.header('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !(origins === '*' || origins.includes(origin))) return done()
    reply.header('Access-Control-Allow-Origin', origins === '*' ? '*' : origin)
    const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!asks) {
      reply.header('Access-Control-Expose-Headers', EXPOSED)
      return done()
    }
    // A preflight carries no token.
    reply.headers({
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': ACCEPTED,
      'Access-Control-Max-Age': REMEMBERED_SECONDS,
    })
    reply.code(204).send()
  })
}
