import type { Logger } from 'pino'
import type { Asked } from '../accounts/authenticate.ts'
import type { OAuth } from '../accounts/oauth/oauth.ts'
import type { SignedBody } from '../accounts/stripe-events.ts'
import type { Bearer } from '../accounts/tokens.ts'
import type { WorkspacePolicy } from '../accounts/workspace-policy.ts'
import type { Answer } from '../calls/answer.ts'
import type { Call, IsDisconnected, MessageCost } from '../calls/call.ts'
import type { FileStore } from '../jobs/store-file.ts'
import type { LoadShedder } from '../runtime/observability.ts'
import type { Metrics, Observer } from '../runtime/observed.ts'
import type { RateLimiter, RateLimits } from '../runtime/rate-limit.ts'
import type { UrlRules } from '../webhooks/send/allowed-url.ts'
import type { SentTest, WantedTest } from '../webhooks/test-webhook.ts'
import type { WebParts } from './app/web-parts.ts'
import type { Places } from './v1/places.ts'
import type { Waiting } from './v1/waiting.ts'
import type { Trust } from './wire/addresses.ts'
import type { CorsOrigins } from './wire/cors.ts'

/** What the routes need, built by `serve`. */
export type AppParts = {
  /** Executes a call in its lane. A read is cancelled when the client has disconnected. */
  execute(call: Call, isDisconnected?: IsDisconnected): Promise<Answer>
  authenticate(header: string | undefined, asked: Asked): Promise<Bearer>
  /** Whether an error means that the database is unavailable or overloaded. */
  isBusy(error: unknown): boolean
  /** Why the service is not ready, or undefined when it is. */
  unready(): Promise<string | undefined>
  /** Whether the service has been told to stop. */
  isStopping(): boolean
  limiter: RateLimiter
  /** What the limiter allows. */
  limits: RateLimits
  noteUse(bearer: Bearer, now: Date): void
  /** The requests and streams that wait for changes. */
  waiting: Waiting
  /** The exports that run. */
  exports: Places
  /** Sends a test event to a webhook. */
  sendTest(wanted: WantedTest): Promise<SentTest>
  /** Which URLs webhooks can have. */
  urlRules(): UrlRules
  /** The files of imports. */
  files: FileStore
  now(): Date
  hosted: boolean
  app_url: string
  default_host: string
  api_domain: string | undefined
  trust_proxy: Trust
  cors_origins: CorsOrigins
  /** How long a request may take to arrive. */
  request_seconds: number
  logger: Logger
  shedder: LoadShedder
  /** Metrics and traces, where they are switched on. */
  observers: readonly Observer[]
  /** For `/metrics`, where a token for it is set. */
  metrics: { from: Metrics; token: string } | undefined
  mcp_domain: string | undefined
  mcp: { costOfMessage(body: string): MessageCost }
  oauth: OAuth
  spendRegistration(address: string): Promise<void>
  /** Who may create workspaces, and how many. */
  workspace_policy: WorkspacePolicy
  /** Undefined unless the installation sells subscriptions. */
  takeStripeEvent: ((sent: SignedBody) => Promise<void>) | undefined
  web: WebParts
}
