import { type Issue, reportInto } from '@kith/contract/issue'
import { parseQueryString } from '@kith/contract/query-string'
import { refuseIfAny } from '@kith/contract/refusal'
import type { WorkspacePolicy } from '../../accounts/workspace-policy.ts'
import type { Answer } from '../../calls/answer.ts'
import { parseOptionalJson, type SentBody } from '../wire/body.ts'

/** A request of the application as plain data. */
export type WebRequest = {
  /** What stands for the names in the route's path. */
  params: Readonly<Record<string, string>>
  query: string
  body: SentBody
  site: Site
}

/** What of the configuration answers depend on. */
export type Site = SignInSite & {
  app_url: string
  api_url: string
  mcp_url: string
  hosted: boolean
  mail: boolean
  workspace_policy: WorkspacePolicy
}

/** How people sign in here. */
export type SignInSite = {
  /** The name of the provider, where there is one. */
  provider: string | null
  /** Sessions that were not used for so long have ended; 0 for no such limit. */
  idle_hours: number
}

/** What was sent in the body; whatever is no JSON object the operation refuses. */
export function bodyOf({ body }: WebRequest): unknown {
  return parseOptionalJson(body)
}

/** The parameters of the address. */
export function queryOf({ query }: WebRequest): Record<string, unknown> {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  refuseIfAny(issues)
  return raw
}

/** What stands in the path for a name of the route. */
export function paramOf({ params }: WebRequest, name: string): string {
  return params[name] ?? ''
}

export function answerData(data: unknown, status = 200): Answer {
  return { status, body: JSON.stringify({ data }) }
}

/** For what is done and has nothing to show. */
export const done: Answer = answerData(null)
