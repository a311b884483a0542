import { Refusal, type RefusalReason, refusalStatuses } from '@kith/contract/refusal'
import { refusalDetails } from '@kith/contract/refusal-details'
import type { Mail } from '../outbound/mail.ts'
import { StorageTrouble, type TroubleKind, UnknownOutcome } from '../storage/engines/storage-trouble.ts'
import { OutOfTime } from '../storage/engines/time-limit.ts'

/** The response of a surface, before it is sent. */
export type Answer = {
  status: number
  body: string | null
  /** A large body in UTF-8, instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer>
  headers?: Readonly<Record<string, string>>
  /** The internal error, for the log only. */
  bug?: string
  /** Set if a query was stopped because it took too long. */
  out_of_time?: true
  /** The kind of storage trouble that caused the error. */
  trouble?: TroubleKind
  /** The items that it costs, if that was not known before. Never sent. */
  items?: number
  /** What follows from the answer. Never sent. */
  effects?: readonly Effect[]
  /** How the response goes on, if it is longer than this answer. Never sent. */
  next?: Next
}

/** A consequence of a stored change, for this process. Other processes notice the change by polling. */
export type Effect =
  | { kind: 'mail'; mail: Mail }
  /** A worker can start a job. */
  | { kind: 'job_queued' }
  /** This process may deliver to a webhook that was changed. */
  | { kind: 'webhook_changed' }
  /** The records of the changed fields are left to be changed. */
  | { kind: 'fields_changed' }
  /** The rows of a deleted workspace have expired and must be deleted. */
  | { kind: 'data_deleted' }
  /** The browser has proved that it belongs to the account with this address. */
  | { kind: 'account_known'; email: string }

export function effectOf<K extends Effect['kind']>({ effects }: Answer, kind: K) {
  return effects?.find((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind)
}

export function hasEffect(answer: Answer, kind: Effect['kind']): boolean {
  return effectOf(answer, kind) !== undefined
}

/** How a response goes on, if it goes on in this way. */
export function nextOf<K extends Next['kind']>({ next }: Answer, kind: K): Extract<Next, { kind: K }> | undefined {
  // The kind is what tells the members of the union apart.
  return next?.kind === kind ? (next as Extract<Next, { kind: K }>) : undefined
}

type Next =
  | ({ kind: 'feed' } & Feed)
  /** Where a response continues that is sent in parts; null with the last part. */
  | { kind: 'part'; continuation: string | null }
  /** For how many seconds the response is held while it does not change. */
  | { kind: 'unchanged'; wait: number }
  /** The content of a file, which the service reads where it is stored. */
  | { kind: 'content'; workspace_id: string; sha256: string; size: number }

/** A part of the changes feed has been read up to `next_cursor`. */
type Feed = {
  next_cursor: string
  /** The workspace's highest sequence. */
  head: number
  /** Whether more entries can be read at once. */
  has_more: boolean
  /** Before or after the hand-off. */
  phase: 'snapshot' | 'live'
  /** For how many seconds an empty response is held: 0 if it is not empty, and before the hand-off. */
  wait: number
}

/**
 * Reports a refusal in full, and an unavailable database as unavailable. Any other error is a bug, for which the caller
 * only gets the request id.
 */
export function answerError(error: unknown, busy: boolean, requestId: string): Answer {
  const refusal = refusalIn(error)
  if (refusal) return answerRefusal(refusal)
  const bug = logText(error)
  if (error instanceof UnknownOutcome) {
    // No Retry-After header, because it would imply that nothing was executed.
    const message =
      'The database was lost during the write. Whether it took place is not known: repeat it with the same ' +
      'Idempotency-Key, or check before you repeat it.'
    return { status: 503, body: JSON.stringify({ message }), bug }
  }
  if (error instanceof StorageTrouble) return answerTrouble(error, bug)
  if (busy) {
    const message = 'The database is not available at the moment. Retry shortly.'
    return { ...answerRefusal(new Refusal({ kind: 'busy', message, retry_after: 1 })), bug }
  }
  return { status: 500, body: JSON.stringify({ message: 'Server Error', request_id: requestId }), bug }
}

/** The refusal in an error, including a request that took too long. Undefined for any other error. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (!(error instanceof OutOfTime)) return undefined
  const message = `The request took longer than ${error.seconds} s and was stopped. Ask for less at a time.`
  return new Refusal({ kind: 'too_slow', message, expensive: [] })
}

function logText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.stack ?? error.message
  return error instanceof StorageTrouble ? `${text} (${String(error.cause)})` : text
}

/** A write may have been committed before the problem was noticed, so the caller must check before a retry. */
function answerTrouble({ kind, message, committed }: StorageTrouble, bug: string): Answer {
  if (committed) {
    const unknown = `${message} Whether this write is kept is not known: check before you repeat it.`
    return { status: 503, body: JSON.stringify({ message: unknown }), bug, trouble: kind }
  }
  const retry_after = passing.has(kind) ? PASSING_SECONDS : TROUBLE_SECONDS
  const answer = { ...answerRefusal(new Refusal({ kind: 'busy', message, retry_after })), trouble: kind }
  // Every request of a node that is upgraded next is answered so.
  return kind === 'migrating' || kind === 'outdated' ? answer : { ...answer, bug }
}

const TROUBLE_SECONDS = 10
/** Another server or node takes over within seconds, or a migration ends. */
const passing: ReadonlySet<TroubleKind> = new Set(['read-only', 'migrating', 'outdated'])
const PASSING_SECONDS = 1

export function answerRefusal({ reason, message }: Refusal): Answer {
  return {
    status: refusalStatuses[reason.kind],
    body: JSON.stringify({ message, ...refusalDetails(reason) }),
    headers: headersOf(reason),
    ...(reason.kind === 'too_slow' ? { out_of_time: true } : {}),
  }
}

function headersOf(reason: RefusalReason): Record<string, string> {
  switch (reason.kind) {
    case 'unauthenticated':
      return { 'WWW-Authenticate': 'Bearer' }
    case 'method_not_allowed':
      return { Allow: reason.allow.join(', ') }
    case 'precondition_failed':
      return reason.tag === undefined ? {} : { ETag: reason.tag }
    case 'conflict':
    case 'rate_limited':
    case 'busy':
      return { 'Retry-After': String(reason.retry_after) }
    default:
      return {}
  }
}
