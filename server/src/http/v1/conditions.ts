import { hash } from 'node:crypto'
import { HOUR_MS } from '@kith/contract/limits'
import type { FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { ConditionHeaders, V1Request } from '../../calls/call.ts'
import { tagsIn } from '../../records/expected.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { version } from '../../scope/version.ts'

/** The headers of a request that its handler depends on. */
export function conditionHeaders({ headers, raw }: FastifyRequest): ConditionHeaders {
  const key = headers['idempotency-key'] === undefined ? undefined : raw.headersDistinct['idempotency-key']
  return {
    if_match: headers['if-match'] ?? null,
    if_none_match: headers['if-none-match'] ?? null,
    idempotency_key: key?.length === 1 ? (key[0] ?? null) : (key ?? null),
  }
}

/**
 * The weak tag of a list, from what its response depends on: what is written in the workspace, the definitions, the
 * request and who asks. The versions are read with the token, before the list. So a list may be newer than its tag, but
 * never older. Undefined in the application.
 */
export function listTag({ path, query }: V1Request, { workspace, actor }: ScopeFacts, now: Date): string | undefined {
  if (workspace.version === undefined) return undefined
  // Cursors expire, and hold the time at which their walk began.
  const hour = query.includes('cursor') ? Math.floor(now.getTime() / HOUR_MS) : 0
  const rest = hash('sha256', JSON.stringify([version, path, query, actor.user_id, actor.role, hour]), 'hex')
  return `W/"${workspace.version}-${workspace.fields_version}~${rest.slice(0, 16)}"`
}

/** Whether the client has the version of the tag. `*` is answered after the request was checked. */
export function isCurrent({ headers }: V1Request, tag: string): boolean {
  return headers.if_none_match?.trim() !== '*' && namesTag(headers.if_none_match, tag)
}

export function notModified(tag: string): Answer {
  return { status: 304, body: null, headers: { ETag: tag } }
}

/** The answer with its tag, if it succeeded. */
export function withTag(answer: Answer, tag: string | undefined): Answer {
  if (tag === undefined || answer.status !== 200) return answer
  return { ...answer, headers: { ...answer.headers, ETag: tag } }
}

/** The answer, or 304 without a body if the client of a read has it already. */
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
