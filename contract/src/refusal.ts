import { excerpt } from './excerpt.ts'
import { type Issue, type Report, reportInto } from './issue.ts'

/** The reasons for refusing a request. All other errors are bugs. */
export type RefusalReason =
  | { kind: 'unauthenticated' }
  | { kind: 'paused'; message: string; upgrade_url: string }
  | { kind: 'forbidden'; message: string; reason?: ForbiddenReason }
  /** `merged_into`: the live record that the sought one was merged into. */
  | { kind: 'not_found'; message: string; merged_into?: MergedInto }
  | { kind: 'method_not_allowed'; message: string; allow: string[] }
  /** The body did not arrive in time. */
  | { kind: 'late'; message: string }
  | { kind: 'ambiguous'; message: string; matches: string[] }
  /** The same request is being carried out at this moment. */
  | { kind: 'conflict'; message: string; retry_after: number }
  /** The record is not in the state that the caller expects. `tag` is its current ETag, if it is live. */
  | { kind: 'precondition_failed'; message: string; updated_at: string | null; tag?: string; matches?: string[] }
  /** Changes that a reader has not seen are deleted, or the database was restored from a backup. */
  | { kind: 'gone'; message: string; reason: 'expired' | 'restored'; oldest_at: string | null; resync: string }
  | { kind: 'too_large'; message: string }
  | { kind: 'invalid'; issues: Issue[] }
  | { kind: 'rate_limited'; message: string; retry_after: number }
  /** `expensive` are the paths of the slow parts, most expensive first. Repeating the request does not help. */
  | { kind: 'too_slow'; message: string; expensive: string[] }
  | { kind: 'busy'; message: string; retry_after: number }

export type MergedInto = { id: string; type: string }

/** Refusals that the application can help with: a workspace requires a second factor, or a new sign-in. */
export const forbiddenReasons = ['second_factor_missing', 'second_factor_unused', 'sign_in_again'] as const
export type ForbiddenReason = (typeof forbiddenReasons)[number]

export type RefusalKind = RefusalReason['kind']

/** How HTTP tells them. */
export const refusalStatuses: Readonly<Record<RefusalKind, number>> = {
  unauthenticated: 401,
  paused: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  late: 408,
  ambiguous: 409,
  conflict: 409,
  precondition_failed: 412,
  gone: 410,
  too_large: 413,
  invalid: 422,
  rate_limited: 429,
  too_slow: 503,
  busy: 503,
}

/** Thrown by operations when the caller is at fault. Surfaces turn it into their own kind of answer. */
export class Refusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(messageOf(reason))
    this.reason = reason
  }
}

export function refuse(reason: RefusalReason): never {
  throw new Refusal(reason)
}

/** Refuses an id that nothing in the workspace has. */
export function refuseUnknownId(what: string, id: string): never {
  return refuse({ kind: 'not_found', message: `No ${what} with the ID ${excerpt(id)} exists in this workspace.` })
}

export function refuseValue(path: string, message: string): never {
  return refuse({ kind: 'invalid', issues: [{ path, message }] })
}

/** Refuses with all gathered problems, or returns when there are none. */
export function refuseIfAny(issues: Issue[]): void {
  if (issues.length > 0) refuse({ kind: 'invalid', issues })
}

/** Parses an input, and refuses it with all problems: those that were found before, and those that are reported. */
export function parseOrRefuse<T>(before: readonly Issue[], parse: (report: Report) => T): T {
  const issues = [...before]
  const parsed = parse(reportInto(issues))
  refuseIfAny(issues)
  return parsed
}

function messageOf(reason: RefusalReason): string {
  if (reason.kind === 'unauthenticated') return 'Unauthenticated.'
  if (reason.kind !== 'invalid') return reason.message
  const first = reason.issues[0]?.message ?? 'The given data was invalid.'
  const more = reason.issues.length - 1
  return more === 0 ? first : `${first} (and ${more} more error${more === 1 ? '' : 's'})`
}
