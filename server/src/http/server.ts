import { randomUUID } from 'node:crypto'
import { Refusal } from '@kith/contract/refusal'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { answerRefusal } from '../calls/answer.ts'
import { registerWeb } from './app/register.ts'
import { registerMcp } from './mcp-route.ts'
import { registerMetrics } from './metrics-route.ts'
import { registerOAuth } from './oauth-routes.ts'
import { registerOidc } from './oidc-route.ts'
import { API_VERSION } from './openapi/info.ts'
import { registerOpenApi } from './openapi-route.ts'
import type { AppParts } from './parts.ts'
import { registerPrivateRoutes } from './private-routes.ts'
import { registerReference } from './reference-page.ts'
import { otherMethod, registerV1 } from './v1/register.ts'
import { routedUrl, trustedProxy } from './wire/addresses.ts'
import { allowOrigins } from './wire/cors.ts'
import { answerMalformed, HEAD_MAX_BYTES } from './wire/malformed-requests.ts'
import { observeRequests } from './wire/observe-requests.ts'
import { registerWebFiles } from './wire/web-files.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** No route has a schema: without this, Fastify loads two schema compilers at every start. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } }

function noSchemas(): never {
  throw new Error('Routes have no schemas: handlers parse their input.')
}

/** Builds the application without listening. */
export function buildApp(parts: AppParts): FastifyInstance {
  const secured = securityHeaders(parts.app_url)
  const addresses = {
    apiDomain: parts.api_domain,
    mcpDomain: parts.mcp_domain,
    isProxy: trustedProxy(parts.trust_proxy),
  }
  const methods: MethodsByPath = new Map()
  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply) => answerNotFound(request, reply, methods)
  const app = fastify({
    trustProxy: parts.trust_proxy === false ? false : addresses.isProxy,
    rewriteUrl: (request) => routedUrl(request, addresses),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // An address that cannot be decoded is answered with 404.
    frameworkErrors: (_error, request, reply) =>
      answerUnrouted(request, reply.header('X-Request-Id', request.id).headers(secured)),
    routerOptions: { maxParamLength: 1024 },
    // Answers 408 to clients that send their body too slowly, so that they do not hold a connection for ever.
    requestTimeout: parts.request_seconds * 1000,
    http: {
      maxHeaderSize: HEAD_MAX_BYTES,
      // Node takes the shorter limit for heads and the longer one for bodies. The default for heads is 60 s.
      headersTimeout: Math.min(parts.request_seconds * 1000, 60_000),
      connectionsCheckingInterval: Math.min(parts.request_seconds * 250, 5000),
    },
    clientErrorHandler: answerMalformed,
    forceCloseConnections: 'idle',
    // Requests that arrive on open connections while the service stops are answered, then the connection is closed.
    return503OnClosing: false,
    schemaController: NO_SCHEMAS,
  })
  // Each surface has its own body parser. Unknown addresses read no body.
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).headers(secured)
    // Unknown addresses accept any media type; Fastify would reject a malformed or missing one before the 404.
    if (request.is404) request.raw.headers['content-type'] = 'application/octet-stream'
    done()
  })
  allowOrigins(app, parts.cors_origins)
  refuseDuplicateHost(app)
  observeRequests(app, parts)
  closeGracefully(app, parts.isStopping)
  app.addHook('preClose', async () => parts.waiting.stop())
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()])
  })
  app.setNotFoundHandler(answerUnrouted)
  app.register(registerWebFiles)
  registerHealth(app, parts)
  if (parts.metrics) registerMetrics(app, parts.metrics.from, parts.metrics.token)
  app.get('/api', async () => ({ name: 'Kith', version: API_VERSION, docs: `${parts.app_url}/docs` }))
  registerOpenApi(app, parts)
  registerReference(app, parts)
  app.register(async (rest) => registerPrivateRoutes(rest, parts), { prefix: '/api' })
  app.register(async (web) => registerWeb(web, parts), { prefix: '/api/app' })
  app.register(async (v1) => registerV1(v1, parts), { prefix: '/api/v1' })
  app.register(async (mcp) => registerMcp(mcp, parts))
  app.register(async (oauth) => registerOAuth(oauth, parts))
  app.register(async (oidc) => registerOidc(oidc, parts))
  return app
}

/** Security headers of every answer. Pages have their own content security policy. */
function securityHeaders(app_url: string): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    // Browsers ignore it over plain http.
    ...(app_url.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
}

/** Answers 400 to a request with several `Host` headers: a proxy may read another one than we do (RFC 9112, 3.2). */
function refuseDuplicateHost(app: FastifyInstance): void {
  const body = JSON.stringify({ message: 'The request has more than one Host header. Send exactly one.' })
  app.addHook('onRequest', (request, reply, done) => {
    // Names and values alternate in what Node hands over.
    const hosts = request.raw.rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host')
    if (hosts.length <= 1) return done()
    reply.code(400).headers({ 'Content-Type': 'application/json', Connection: 'close' }).send(Buffer.from(body))
  })
}

const CLOSE_IDLE_EVERY_MS = 100

/**
 * While the service stops, every answer closes its connection: an idle one would keep the process from exiting, and a
 * proxy would send a request on it that the service no longer reads.
 */
function closeGracefully(app: FastifyInstance, isStopping: () => boolean): void {
  app.addHook('preClose', async () => {
    // For connections whose answer was sent before the service began to stop.
    setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref()
  })
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping()) reply.header('Connection', 'close')
  })
}

/** The methods of each path that has no parameters. */
type MethodsByPath = Map<string, string[]>

function answerNotFound(request: FastifyRequest, reply: FastifyReply, methods: MethodsByPath): FastifyReply {
  const allow = methods.get(request.url.split('?', 1)[0] ?? '') ?? []
  const isOther = allow.length > 0 && !allow.includes(request.method)
  const { status, body, headers } = answerRefusal(isOther ? otherMethod(request, allow) : nothingAt(request))
  return reply
    .code(status)
    .headers({ ...headers, 'Content-Type': 'application/json' })
    .send(Buffer.from(body ?? ''))
}

function nothingAt({ originalUrl }: FastifyRequest): Refusal {
  const path = originalUrl.split('?', 1)[0]?.slice(0, 200)
  return new Refusal({ kind: 'not_found', message: `There is nothing at ${path}.` })
}

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
}

function registerHealth(app: FastifyInstance, { unready }: AppParts): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const reason = await unready()
    return reason === undefined ? { status: 'ready' } : reply.code(503).send({ status: 'not ready', reason })
  })
}
