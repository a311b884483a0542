import type { Schema } from '@kith/contract/resource'
import type { Logger } from 'pino'
import type { AuthenticationNeeds } from '../accounts/authenticate.ts'
import type { Caller, SignIn } from '../accounts/identity.ts'
import type { RegistrationOrigin } from '../accounts/oauth/client-documents.ts'
import type { OAuth } from '../accounts/oauth/oauth.ts'
import type { SessionRequest, SessionUser } from '../accounts/sign-in/sessions.ts'
import type { KnownDevices } from '../accounts/sign-in/sign-in-events.ts'
import type { Attempt } from '../accounts/sign-in/sign-in-limit.ts'
import type { SignedBody } from '../accounts/subscription.ts'
import type { Bearer } from '../accounts/tokens.ts'
import type { WorkspacePolicy } from '../accounts/workspaces.ts'
import type { Answer } from '../calls/answer.ts'
import type { Call, IsDisconnected, MessageCost, SignInSite } from '../calls/call.ts'
import type { Changes } from '../changes/live-updates.ts'
import type { DomainRule } from '../config.ts'
import type { Contents } from '../contents/contents.ts'
import type { FileStore } from '../jobs/store-file.ts'
import type { Places } from '../limits/places.ts'
import type { BucketState, RateLimiter, RateLimits } from '../limits/rate-limit.ts'
import type { UrlRules } from '../outbound/allowed-url.ts'
import type { SendMail } from '../outbound/mail.ts'
import type { WorkspaceFacts } from '../scope/scope.ts'
import type { LoadShedder } from '../telemetry/observability.ts'
import type { Metrics, Observer } from '../telemetry/observed.ts'
import type { FeedWaiters } from './v1/waiting.ts'
import type { Trust } from './wire/addresses.ts'
import type { CorsOrigins } from './wire/cors.ts'
import type { Bodies } from './wire/receive-bodies.ts'

/** The parts that all routes need, built by `serve`. */
export type AppParts = {
  /** Executes a call in its lane. A read is cancelled when the client has disconnected. */
  execute(call: Call, isDisconnected?: IsDisconnected): Promise<Answer>
  authenticate(header: string | undefined, asked: AuthenticationNeeds): Promise<Bearer>
  schemaFor(workspace: Pick<WorkspaceFacts, 'id' | 'fields_version'>): Promise<Schema>
  /** Whether an error means that the database is unavailable, overloaded or changed by a newer version. */
  isBusy(error: unknown): Promise<boolean>
  /** Throws if nothing is answered, because a newer version has changed the database. */
  refuseOutdated(): void
  /** Why the service is not ready, or undefined when it is. */
  unready(): Promise<string | undefined>
  /** Whether the service has been told to stop. */
  isStopping(): boolean
  limiter: RateLimiter
  limits: RateLimits
  noteUse(bearer: Bearer, now: Date): void
  waiting: FeedWaiters
  /** The exports that run. */
  exports: Places
  /** Which URLs webhooks can have. */
  urlRules(): UrlRules
  bodies: Bodies
  /** The files of imports. */
  files: FileStore
  /** The contents of the files of records, and how many bytes those of a workspace may have; 0 is no limit. */
  contents: Contents
  file_limits: { workspace_bytes: number }
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
  /** Metrics and traces, if they are enabled. */
  observers: readonly Observer[]
  /** For `/metrics`, if its token is set. */
  metrics: { from: Metrics; token: string } | undefined
  mcp_domain: string | undefined
  mcp: { costOfMessage(body: string): MessageCost }
  oauth: OAuth
  spendRegistration(caller: RegistrationOrigin): Promise<void>
  /** Who may create workspaces, and how many. */
  workspace_policy: WorkspacePolicy
  /** Undefined unless the installation sells subscriptions. */
  takeStripeEvent: ((sent: SignedBody) => Promise<void>) | undefined
  web: WebParts
}

/** The parts that only the application's private API needs. */
export type WebParts = {
  signIn: SignIn
  findSessionUser(session: SessionRequest): Promise<SessionUser | undefined>
  noteSessionUse(sessionUser: SessionUser, now: Date): void
  spendAttempt(attempt: Attempt): Promise<void>
  /** Counts a mail that a user sends to an address of their choice. */
  spendMail(mail: { user_id: string; email: string }): Promise<void>
  /** Counts a request towards the limit of a user. */
  spendOfUser(userId: string): Promise<BucketState> | BucketState
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Undefined if the service sends no mail. */
  sendMail: SendMail | undefined
  changes: Changes
  /** The sessions of the members of a workspace. */
  sessionsIn(workspaceId: string): Promise<ReadonlySet<string>>
  settleConsent(sessionUser: SessionUser, input: unknown, caller: Caller): Promise<string>
  /** Whether sign-in with the password requires a code. */
  asksForCodes(userId: string): Promise<boolean>
  /** The user who has entered the password in this browser and must enter a code. */
  pendingUser(cookie: string | undefined): Promise<string | undefined>
  passkeyHolder(credentialId: string): Promise<string | undefined>
  /** Ways to sign in. */
  site: SignInSite
  /** Which workspaces users of the provider join, and whether signing in there counts as a second factor. */
  provider: { rules: readonly DomainRule[]; strong: boolean } | undefined
}
