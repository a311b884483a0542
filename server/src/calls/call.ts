import type { Ability } from '@kith/contract/abilities'
import type { ResourceName } from '@kith/contract/resource'
import type { TokenAttributes } from '@kith/contract/token-attributes'
import type { SessionHolder } from '../accounts/sign-in/sessions.ts'
import type { SignInEvent } from '../accounts/sign-in/sign-in-events.ts'
import type { WorkspacePolicy } from '../accounts/workspace-policy.ts'
import type { Runtime, ScopeFacts } from '../scope/scope.ts'
import type { UrlRules } from '../webhooks/send/allowed-url.ts'
import type { SentTest } from '../webhooks/test-webhook.ts'
import type { Answer } from './answer.ts'

/** Where a call runs. A `short` one reads a few rows by an index, whatever the size of the workspace. */
export type Lane = 'short' | 'read' | 'write'

/** Tells whether the client has disconnected. */
export type IsDisconnected = () => boolean

/** Executes a call with the handlers of its surface. */
export type Execute = (runtime: Runtime, call: Call, isDisconnected?: IsDisconnected) => Promise<Answer>

/** A request and its caller as plain data, so that any thread can execute it. */
export type Call = {
  request_id: string
  lane: Lane
  /** Whether a replica may answer once it has caught up with the primary. */
  replica?: true | undefined
} & (
  | { surface: 'v1'; facts: ScopeFacts; request: V1Request }
  | { surface: 'mcp'; facts: ScopeFacts; request: McpRequest }
  | { surface: 'job'; facts: ScopeFacts; request: JobStep }
  | { surface: 'webhook'; facts: ScopeFacts; request: JobStep }
  | { surface: 'workspace'; facts: ScopeFacts; request: WebRequest & { handler: string } }
  | { surface: 'account'; holder: SessionHolder | null; request: WebRequest & { handler: string } }
)

/** The body's text, null when none was sent. `readable` is false when it is not JSON text in UTF-8. */
export type SentBody = { text: string | null; readable: boolean }

/** A request of the REST API, after the checks that need no body. */
export type V1Request = {
  handler: string
  resource: ResourceName | null
  /** The one in the path, empty if it has none. */
  id: string
  /** The other parameters in the path. */
  params: Readonly<Record<string, string>>
  /** The address without its query string, as the caller sees it. */
  path: string
  query: string
  body: SentBody
  method: string
  headers: ConditionHeaders
  /** Only for the endpoint that shows the token. */
  token?: TokenFacts | undefined
  /** Only for endpoints about webhooks: which URLs the installation allows. */
  url_rules?: UrlRules | undefined
  /** Only for a test event that was sent. */
  test?: SentTest | undefined
  /** Where a response continues that is sent in parts, as the handler wrote it with the part before. */
  continuation?: string | undefined
  /** Only for the endpoint that receives a file: what was stored of it. */
  file?: UploadedFile | undefined
  /** The items that the request has not paid for: it is not known yet how many, or there are not enough left. */
  due?: 'unknown' | Unpaid | undefined
}

/** Why a request is refused, unless it was carried out before. */
export type Unpaid = { message: string; retry_after: number }

/** What only the process that authenticates and limits requests knows about a token. */
export type TokenFacts = Pick<TokenAttributes, 'expires_at' | 'limits'>

/** Headers with which a request depends on what happened before. Null where one was not sent. */
export type ConditionHeaders = {
  if_match: string | null
  if_none_match: string | null
  /** Sent more than once, it is a list. */
  idempotency_key: string | readonly string[] | null
}

/** A stored file, and what was found out about it as JSON. */
export type UploadedFile = { file_id: string; sha256: string; rows: number; facts: string }

/** A step of a job, which runs in one transaction, or of the delivery to webhooks. */
export type JobStep = { handler: string; input: unknown }

/** A request of the MCP server, after the checks that need no body. */
export type McpRequest = {
  /** One message of the protocol, as JSON text. */
  body: string
  /** The headers in which the protocol repeats parts of the message, where they were sent. */
  headers: Readonly<Record<string, string>>
  /** The address of the application. */
  app_url: string
}

/** What a message of the MCP server costs. Its tool needs all of `abilities` and one of `any_of`, if there are any. */
export type MessageCost = {
  kind: 'read' | 'write'
  items: number
  abilities: readonly Ability[]
  any_of: readonly Ability[]
}

/** A request of the web application. */
export type WebRequest = {
  /** The parameters in the route's path. */
  params: Readonly<Record<string, string>>
  query: string
  body: SentBody
  site: Site
  /** Where a response continues that is sent in parts. */
  continuation?: string | undefined
  /** What the service itself notes about a sign-in. */
  event?: SignInEvent | undefined
}

/** The parts of the configuration that answers depend on. */
export type Site = SignInSite & {
  app_url: string
  api_url: string
  mcp_url: string
  hosted: boolean
  mail: boolean
  guide: boolean
  workspace_policy: WorkspacePolicy
}

export type SignInSite = {
  /** The name of the OpenID Connect provider, where there is one. */
  provider: string | null
  /** Sessions end after so many hours without use; 0 for no limit. */
  idle_hours: number
}
