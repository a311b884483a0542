import { hash, randomUUID, timingSafeEqual } from 'node:crypto'
import { abilities } from '@kith/contract/abilities'
import { CLIENT_BODY_MAX_BYTES, OAUTH_FORM_MAX_BYTES } from '@kith/contract/limits'
import { Refusal } from '@kith/contract/refusal'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { metadataProblem } from '../accounts/oauth/client-documents.ts'
import { oauthError } from '../accounts/oauth/plugin.ts'
import { answerError, answerRefusal } from '../calls/answer.ts'
import type { Metrics } from '../telemetry/observed.ts'
import { registerWeb } from './app/register.ts'
import { MCP_PATH, type McpAddresses, registerMcp } from './mcp-route.ts'
import { registerOidc } from './oidc-route.ts'
import { API_VERSION } from './openapi/info.ts'
import { registerOpenApi } from './openapi-route.ts'
import type { AppParts } from './parts.ts'
import { registerReference } from './reference-page.ts'
import { registerUnsubscribe } from './unsubscribe-route.ts'
import { otherMethod, registerV1 } from './v1/register.ts'
import { asFetchRequest, isAt, routedUrl, sendResponse, trustedProxy } from './wire/addresses.ts'
import { allowOrigins } from './wire/cors.ts'
import { answerMalformed, HEAD_MAX_BYTES, observeRequests } from './wire/observe-requests.ts'
import { readBodiesAsBytes } from './wire/receive-bodies.ts'
import { sendFailure } from './wire/send-answer.ts'
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
      // Node uses the shorter limit for heads and the longer one for bodies. The default for heads is 60 s.
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
  app.register(async (documents) => registerOpenApi(documents, parts))
  registerReference(app, parts)
  app.register(async (rest) => registerPrivateRoutes(rest, parts), { prefix: '/api' })
  app.register(async (web) => registerWeb(web, parts), { prefix: '/api/app' })
  app.register(async (v1) => registerV1(v1, parts), { prefix: '/api/v1' })
  app.register(async (mcp) => registerMcp(mcp, parts))
  app.register(async (oauth) => registerOAuth(oauth, parts))
  app.register(async (mails) => registerUnsubscribe(mails, parts))
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

const HOST = /^host$/i

/** Answers 400 to a request with several `Host` headers: a proxy may read another one than we do (RFC 9112, 3.2). */
function refuseDuplicateHost(app: FastifyInstance): void {
  const body = JSON.stringify({ message: 'The request has more than one Host header. Send exactly one.' })
  app.addHook('onRequest', (request, reply, done) => {
    const { rawHeaders } = request.raw
    let hosts = 0
    // Names and values alternate.
    for (let i = 0; i < rawHeaders.length; i += 2) if (HOST.test(rawHeaders[i] ?? '')) hosts++
    if (hosts <= 1) return done()
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
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping()) reply.header('Connection', 'close')
    done()
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

/** Stripe's webhook, which is not part of the public API. */
function registerPrivateRoutes(
  app: FastifyInstance,
  parts: Pick<AppParts, 'takeStripeEvent' | 'isBusy' | 'logger' | 'bodies'>,
): void {
  const { takeStripeEvent } = parts
  if (!takeStripeEvent) return
  readBodiesAsBytes(app, parts)
  const wire = { ...parts, mediaType: 'application/json' }
  app.setErrorHandler((error, _request, reply) => sendFailure(reply, error, wire))
  app.post('/stripe/webhook', async (request, reply) => {
    const signature = request.headers['stripe-signature']
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    await takeStripeEvent({ body, signature: typeof signature === 'string' ? signature : undefined })
    return reply.send({ received: true })
  })
}

/**
 * `/metrics`, protected by a token. Without one the route does not exist: behind a proxy on the same machine every
 * caller has a local address.
 */
function registerMetrics(app: FastifyInstance, metrics: Metrics, token: string): void {
  const expected = digest(`Bearer ${token}`)
  app.get('/metrics', async (request, reply) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      const { status, body, headers } = answerRefusal(new Refusal({ kind: 'unauthenticated' }))
      return reply
        .code(status)
        .headers(headers ?? {})
        .type('application/json')
        .send(body)
    }
    const { type, text } = await metrics.exposition()
    return reply.type(type).header('Cache-Control', 'no-store').send(text)
  })
}

/** Hashes have the same length for every input, so that the comparison takes the same time. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

type OAuthParts = McpAddresses & Pick<AppParts, 'oauth' | 'spendRegistration' | 'isBusy' | 'logger' | 'bodies'>

const REGISTER = '/api/auth/oauth2/register'

const PROTECTED = '/.well-known/oauth-protected-resource'

const SERVER = '/.well-known/oauth-authorization-server'

/** Below the root, below the MCP server, and below the address of the authorization server. */
const SERVER_SUFFIXES = ['', MCP_PATH, '/api/auth']

/** The metadata by which OAuth clients find the authorization server, and its endpoints. */
function registerOAuth(app: FastifyInstance, parts: OAuthParts): void {
  readBodiesAsBytes(app, parts)
  app.setErrorHandler((error, _request, reply) => sendOAuthFailure(reply, error, parts))
  for (const suffix of ['', MCP_PATH] as const) {
    registerMetadata(app, PROTECTED + suffix, async (request) => ({
      resource: resourceAt(request, suffix, parts),
      resource_name: 'Kith',
      authorization_servers: [(await parts.oauth.metadata()).issuer],
      scopes_supported: abilities,
      bearer_methods_supported: ['header'],
      resource_documentation: `${parts.app_url}/docs`,
    }))
  }
  for (const suffix of SERVER_SUFFIXES) registerMetadata(app, SERVER + suffix, () => parts.oauth.metadata())
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    // Fastify would answer an unparsable media type with an error in its own format.
    if (!MEDIA_TYPE.test(headers['content-type'] ?? 'a/a')) headers['content-type'] = 'application/octet-stream'
  })
  app.route({ method: ['GET', 'POST'], url: '/api/auth/oauth2/*', bodyLimit: OAUTH_FORM_MAX_BYTES, handler: handle })
  // Registration is open to everyone, so only small bodies are stored. The address is checked before the body.
  app.post(REGISTER, { bodyLimit: CLIENT_BODY_MAX_BYTES }, async (request, reply) => {
    await parts.spendRegistration({ address: request.ip, cookie: request.headers.cookie })
    const problem = metadataProblem(Buffer.isBuffer(request.body) ? request.body.toString() : '')
    if (problem === undefined) return handle(request, reply)
    return sendResponse(reply, oauthError(400, { error: 'invalid_client_metadata', message: problem }))
  })

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const isPlain = PLAIN_PATH.test(request.url)
    const response = isPlain ? await parts.oauth.handle(asFetchRequest(request, parts.app_url), request.ip) : undefined
    if (!response) {
      reply.callNotFound()
      return reply
    }
    return sendResponse(reply, response)
  }
}

/** better-auth normalizes paths, so encoded dots and slashes could reach endpoints that are not for clients. */
const PLAIN_PATH = /^\/api\/auth\/oauth2\/[a-z]+(\?|$)/

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9.+-]+ *(;|$)/i

/** Sends errors of our code and of better-auth in the format of OAuth. */
async function sendOAuthFailure(reply: FastifyReply, error: unknown, parts: OAuthParts): Promise<FastifyReply> {
  const { request } = reply
  const answer = answerError(error, await parts.isBusy(error), request.id)
  if (answer.bug !== undefined)
    parts.logger.error({ request_id: request.id, bug: answer.bug }, 'A request failed with an internal error.')
  const { message } = JSON.parse(answer.body ?? '{}')
  const code = codeFor(answer.status, request.routeOptions.url === REGISTER)
  const headers = new Headers(answer.headers)
  return sendResponse(reply, oauthError(answer.status, { error: code, message, headers }))
}

function codeFor(status: number, registering: boolean): string {
  if (status === 503 || status === 429) return 'temporarily_unavailable'
  if (status >= 500) return 'server_error'
  return registering ? 'invalid_client_metadata' : 'invalid_request'
}

/** On its own domain the MCP server is the whole host; below the application it has one address. */
function resourceAt(request: FastifyRequest, suffix: string, { app_url, mcp_domain }: McpAddresses): string {
  if (mcp_domain !== undefined && isAt(mcp_domain, request.host.toLowerCase())) return `https://${mcp_domain}${suffix}`
  return app_url + MCP_PATH
}

/** Public, and read by clients in browsers too. */
function registerMetadata(
  app: FastifyInstance,
  url: string,
  read: (request: FastifyRequest) => Promise<Record<string, unknown>>,
): void {
  app.get(url, async (request, reply) => {
    const metadata = await read(request)
    return reply.headers({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-cache' }).send(metadata)
  })
}
