import { randomUUID } from 'node:crypto'
import { Refusal } from '@kith/contract/refusal'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import type { OAuth } from '../accounts/oauth/oauth.ts'
import type { Bearer } from '../accounts/tokens.ts'
import type { WorkspacePolicy } from '../accounts/workspace-policy.ts'
import type { Answer } from '../calls/answer.ts'
import type { Call, IsGone } from '../calls/call.ts'
import type { RateLimiter } from '../runtime/rate-limit.ts'
import type { Metrics } from '../runtime/watch.ts'
import { registerWeb } from './app/register.ts'
import type { WebParts } from './app/web-parts.ts'
import { registerMcp } from './mcp-route.ts'
import { registerMetrics } from './metrics-route.ts'
import { registerOAuth } from './oauth-routes.ts'
import { registerOidc } from './oidc-route.ts'
import { API_VERSION } from './openapi/info.ts'
import { registerOpenApi } from './openapi-route.ts'
import { type PrivateParts, registerPrivateRoutes } from './private-routes.ts'
import { registerReference } from './reference-page.ts'
import { registerV1 } from './v1/register.ts'
import { routedUrl } from './wire/addresses.ts'
import { answerError, answerRefusal } from './wire/answer-errors.ts'
import { answerBroken, HEAD_MAX_BYTES } from './wire/broken-requests.ts'
import { closeAfterLastAnswers } from './wire/last-answers.ts'
import { securityHeaders } from './wire/security-headers.ts'
import { type Trust, trustedProxy } from './wire/trust.ts'
import { refuseTwoHosts } from './wire/two-hosts.ts'
import { type WatchingParts, watchRequests } from './wire/watching.ts'
import { registerWebFiles } from './wire/web-files.ts'

/** What the service is made of, put together by `serve`. */
export type AppParts = {
  /** Carries a call out where it does not delay others. A read is given up when the client has gone. */
  perform(call: Call, isGone?: IsGone): Promise<Answer>
  authenticate(header: string | undefined, now: Date): Promise<Bearer>
  /** Whether an error says that the database is away or overloaded. */
  isBusy(error: unknown): boolean
  /** Why the service cannot answer yet, or undefined when it can. */
  unready(): Promise<string | undefined>
  limiter: RateLimiter
  noteUse(bearer: Bearer, now: Date): void
  now(): Date
  hosted: boolean
  app_url: string
  default_host: string
  api_domain: string | undefined
  trust_proxy: Trust
  /** How long a request may take to arrive. */
  request_seconds: number
  logger: Logger
  gate: WatchingParts['gate']
  watchers: WatchingParts['watchers']
  /** For `/metrics`, where a token for it is set. */
  metrics: { from: Metrics; token: string } | undefined
  mcp_domain: string | undefined
  /** What the entrance must know of a message to the tool server. */
  mcp: { kindOfMessage(body: string): 'read' | 'write' }
  oauth: OAuth
  spendRegistration(address: string): Promise<void>
  /** Who may create workspaces, and how many. */
  workspace_policy: WorkspacePolicy
  private: Pick<PrivateParts, 'takeStripeEvent'>
  web: WebParts
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Bodies and answers are no business of Fastify's, which would load two compilers for their schemas at every start. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } }

function noSchemas(): never {
  throw new Error('Routes have no schemas: what comes in is parsed by the handlers.')
}

/** Builds the application without listening. */
export function buildApp(parts: AppParts): FastifyInstance {
  const secured = securityHeaders(parts.app_url)
  const addresses = {
    apiDomain: parts.api_domain,
    mcpDomain: parts.mcp_domain,
    isProxy: trustedProxy(parts.trust_proxy),
  }
  const app = fastify({
    trustProxy: parts.trust_proxy === false ? false : addresses.isProxy,
    rewriteUrl: (request) => routedUrl(request, addresses),
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // An address that cannot be decoded is one more at which there is nothing.
    frameworkErrors: (_error, request, reply) =>
      answerNothingThere(request, reply.header('X-Request-Id', request.id).headers(secured)),
    routerOptions: { maxParamLength: 1024 },
    // Whoever sends a body drop by drop is told so after a while, and does not keep a connection for ever.
    requestTimeout: parts.request_seconds * 1000,
    http: {
      maxHeaderSize: HEAD_MAX_BYTES,
      // Of the two limits Node takes the shorter one for heads and the longer one for bodies, and the one for heads is a minute unless told otherwise.
      headersTimeout: Math.min(parts.request_seconds * 1000, 60_000),
      connectionsCheckingInterval: Math.min(parts.request_seconds * 250, 5000),
    },
    clientErrorHandler: answerBroken,
    forceCloseConnections: 'idle',
    // What still comes in over an open connection while the service stops is answered, and the connection then closed.
    return503OnClosing: false,
    schemaController: NO_SCHEMAS,
  })
  // Each surface reads bodies in its own way. An address at which there is nothing reads none, whatever was sent to it.
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).headers(secured)
    // Where there is nothing, nobody asks for the media type; Fastify would refuse one that it cannot make out, or that is missing.
    if (request.is404) request.raw.headers['content-type'] = 'application/octet-stream'
    done()
  })
  refuseTwoHosts(app)
  watchRequests(app, parts)
  closeAfterLastAnswers(app)
  app.setNotFoundHandler(answerNothingThere)
  app.register(registerWebFiles)
  registerHealth(app, parts)
  if (parts.metrics) registerMetrics(app, parts.metrics.from, parts.metrics.token)
  app.get('/api', async () => ({ name: 'Kith', version: API_VERSION, docs: `${parts.app_url}/docs` }))
  registerOpenApi(app, parts)
  registerReference(app, parts)
  const answer = (error: unknown, requestId: string) => answerError(error, parts.isBusy(error), requestId)
  const privateParts = { ...parts.private, answerError: answer }
  app.register(async (rest) => registerPrivateRoutes(rest, privateParts), { prefix: '/api' })
  app.register(async (web) => registerWeb(web, parts), { prefix: '/api/app' })
  app.register(async (v1) => registerV1(v1, parts), { prefix: '/api/v1' })
  app.register(async (mcp) => registerMcp(mcp, parts))
  app.register(async (oauth) => registerOAuth(oauth, parts))
  app.register(async (oidc) => registerOidc(oidc, parts))
  return app
}

function answerNothingThere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.originalUrl.split('?', 1)[0]?.slice(0, 200)
  const { status, body } = answerRefusal(new Refusal({ kind: 'not_found', message: `There is nothing at ${path}.` }))
  return reply
    .code(status)
    .header('Content-Type', 'application/json')
    .send(Buffer.from(body ?? ''))
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
