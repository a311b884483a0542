import type { Ability } from '@kith/contract/abilities'
import { parseJson } from '@kith/contract/raw-input'
import type { ResourceName } from '@kith/contract/resource'
import type { SessionHolder } from '../accounts/sign-in/sessions.ts'
import type { SignInEvent } from '../accounts/sign-in/sign-in-events.ts'
import type { TokenFacts } from '../accounts/who-am-i.ts'
import type { WorkspacePolicy } from '../accounts/workspaces.ts'
import type { UploadedFile } from '../jobs/change-job.ts'
import type { Step } from '../leases/step.ts'
import type { UrlRules } from '../outbound/allowed-url.ts'
import type { StoredContent } from '../records/files/files.ts'
import type { Runtime, Scope, ScopeFacts } from '../scope/scope.ts'
import type { Answer } from './answer.ts'

/** The lane of a call. A `short` call reads a few rows by an index, independent of the size of the workspace. */
export type Lane = 'short' | 'read' | 'write'

export type IsDisconnected = () => boolean

/** Executes a call with the handlers of its surface. */
export type Execute = (runtime: Runtime, call: Call, isDisconnected?: IsDisconnected) => Promise<Answer>

/** A request and its caller as plain data, so that any thread can execute it. */
export type Call = {
  request_id: string
  lane: Lane
  /** Whether a replica may answer once it has caught up with the primary. */
  replica?: true | undefined
  /** Whether the answer is known to be large, because the call has already run as a short one. */
  large?: true
} & (
  | { surface: 'v1'; facts: ScopeFacts; request: V1Request }
  | { surface: 'mcp'; facts: ScopeFacts; request: McpRequest }
  | { surface: 'step'; facts: ScopeFacts; request: Step }
  | { surface: 'fields'; facts: ScopeFacts }
  | { surface: 'workspace'; facts: ScopeFacts; request: WebRequest & { handler: string } }
  | { surface: 'account'; holder: SessionHolder | null; request: WebRequest & { handler: string } }
)

/** A request of the REST API, after the checks that need no body. */
export type V1Request = {
  handler: string
  resource: ResourceName | null
  /** The id in the path; empty if the path has none. */
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
  /** Where a response continues that is sent in parts, as the handler wrote it with the part before. */
  continuation?: string | undefined
  /** Only for the endpoint that receives a file: the stored file. */
  file?: UploadedFile | undefined
  /** Only for the endpoint that adds a file to a record: what its sender says about it before it is received. */
  announced?: AnnouncedFile | undefined
  /** … and its stored content. */
  content?: StoredContent | undefined
  /** There are not enough items left: the request is refused, unless it repeats an earlier one. */
  unpaid?: RateRefusal | undefined
}

export type V1Handler = (scope: Scope, request: V1Request) => Promise<Answer>

/** Headers of a file. Its length may be unknown. */
type AnnouncedFile = { content_type: string; encoding: string; length: number | null }

/** Why a request is refused, unless it repeats an earlier one. */
export type RateRefusal = { message: string; retry_after: number }

/** Headers that make a request depend on earlier ones. Null if a header was not sent. */
export type ConditionHeaders = {
  if_match: string | null
  if_none_match: string | null
  /** A list if the header was sent more than once. */
  idempotency_key: string | readonly string[] | null
  /** The application has saved by itself. Others are not asked. */
  automatic?: boolean
}

/** A request of the MCP server, after the checks that need no body. */
export type McpRequest = {
  /** One message of the protocol, as JSON text. */
  body: string
  /** The headers in which the protocol repeats parts of the message, if they were sent. */
  headers: Readonly<Record<string, string>>
  /** The address of the application. */
  app_url: string
}

/** The cost of a message of the MCP server. Its tool needs all of `abilities` and one of `any_of`, if it has any. */
export type MessageCost = {
  kind: 'read' | 'write'
  items: number
  abilities: readonly Ability[]
  any_of: readonly Ability[]
}

export type WebRequest = {
  /** The parameters in the route's path. */
  params: Readonly<Record<string, string>>
  query: string
  body: SentBody
  site: Site
  /** The position from which a response in parts continues. */
  continuation?: string | undefined
  /** An event about a sign-in, which only the service itself sends. */
  event?: SignInEvent | undefined
}

/** The parts of the configuration that influence answers. */
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
  /** The name of the OpenID Connect provider, if there is one. */
  provider: string | null
  /** Sessions end after this many hours without use; 0 means no limit. */
  idle_hours: number
}

/** The body's text, null when none was sent. `readable` is false when it is not JSON text in UTF-8. */
export type SentBody = { text: string | null; readable: boolean }

/** The body as JSON; undefined for anything else, which the operation reports. */
export function jsonIn({ text, readable }: SentBody): unknown {
  return readable && text !== null ? parseJson(text) : undefined
}

/** Like `jsonIn`, for endpoints where no body means an empty object. */
export function optionalJsonIn(body: SentBody): unknown {
  return body.readable && body.text === null ? {} : jsonIn(body)
}
