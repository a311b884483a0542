import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HOUR_MS } from '@kith/contract/limits'
import { tagsIn } from '../records/expected.ts'
import type { ScopeFacts } from '../scope/scope.ts'
import { version } from '../version.ts'
import type { Answer } from './answer.ts'
import type { ConditionHeaders, V1Request } from './call.ts'

/** The conditional headers of a request. */
export function conditionHeaders({ headers, headersDistinct }: IncomingMessage): ConditionHeaders {
  const key = headers['idempotency-key'] === undefined ? undefined : headersDistinct['idempotency-key']
  return {
    if_match: headers['if-match'] ?? null,
    if_none_match: headers['if-none-match'] ?? null,
    automatic: headers['x-kith-save'] === 'automatic',
    idempotency_key: key?.length === 1 ? (key[0] ?? null) : (key ?? null),
  }
}

/**
 * The weak ETag of a list. It depends on the versions of records and definitions, the request and the caller. The
 * versions are read with the token, before the list, so a list may be newer than its tag, but never older. Undefined in
 * the application.
 */
export function listTag({ path, query }: V1Request, { workspace, actor }: ScopeFacts, now: Date): string | undefined {
  if (workspace.version === undefined) return undefined
  // Cursors expire, and hold the time at which their scan began.
  const hour = query.includes('cursor') ? Math.floor(now.getTime() / HOUR_MS) : 0
  const rest = hash('sha256', JSON.stringify([version, path, query, actor.user_id, actor.role, hour]), 'hex')
  return `W/"${workspace.version}-${workspace.fields_version}~${rest.slice(0, 16)}"`
}

/** Whether the client has the version of the tag. `*` is handled after the request was checked. */
export function isCurrent({ headers }: Pick<V1Request, 'headers'>, tag: string): boolean {
  return headers.if_none_match?.trim() !== '*' && namesTag(headers.if_none_match, tag)
}

export function notModified(tag: string): Answer {
  return { status: 304, body: null, headers: { ETag: tag } }
}

/** Adds the tag to a successful answer. */
export function withTag(answer: Answer, tag: string | undefined): Answer {
  if (tag === undefined || answer.status !== 200) return answer
  return { ...answer, headers: { ...answer.headers, ETag: tag } }
}

/** The answer, or 304 without a body if the client of a read already has it. */
export function unlessCurrent({ method, headers }: Pick<V1Request, 'method' | 'headers'>, answer: Answer): Answer {
  const tag = answer.headers?.ETag
  if (answer.status !== 200 || tag === undefined || !isRead(method)) return answer
  return namesTag(headers.if_none_match, tag) ? notModified(tag) : answer
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether an If-None-Match header names a tag. Compares weakly: `W/` makes no difference. */
function namesTag(header: string | null, tag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  const [current] = tagsIn(tag) ?? []
  return tagsIn(header)?.some(({ text }) => text === current?.text) ?? false
}
