import { Refusal, type RefusalReason, refusalStatuses } from '@kith/contract/refusal'
import { refusalDetails } from '@kith/contract/refusal-details'
import { StorageTrouble, type TroubleKind, UnknownOutcome } from '../scope/storage-trouble.ts'
import { OutOfTime, slowRequest } from '../scope/time-limit.ts'
import type { WantedTest } from '../webhooks/test-webhook.ts'

/** The response of a surface, before it is sent. */
export type Answer = {
  status: number
  body: string | null
  headers?: Readonly<Record<string, string>>
  /** The internal error, for the log only. */
  bug?: string
  /** A query was stopped because it took too long. */
  out_of_time?: true
  /** The kind of storage trouble that caused the error. */
  trouble?: TroubleKind
  /** What the surface still has to do. Never sent. */
  aside?: {
    /** Mail to send, now that what it tells of is stored. */
    mails?: readonly Mail[]
    /** The email address of the account that was made, for whose password a session begins. */
    account?: string
    /** The email address of the account whose password was reset. */
    reset?: string
    /** The email address that an account has from now on. */
    readdressed?: string
    /** A workspace was deleted, with rows that are left to be wiped. */
    closed?: true
    /** Where a reader of the changes feed continues. */
    follow?: Follow
    /** How many items the request costs. Nothing was done yet. */
    items?: number
    /** Where a response continues that is sent in parts; null with the last part. */
    continuation?: string | null
    /** A job was queued, which a worker can begin. */
    queued?: true
    /** A test event that is to be sent. Nothing was done yet. */
    test?: WantedTest
    /** A webhook was changed, which this process may deliver to. */
    webhooks?: true
    /** For how many seconds the response is held while it stays the same. */
    unchanged?: { wait: number }
  }
}

/** A part of the changes feed has been read up to `next_cursor`. */
type Follow = {
  next_cursor: string
  /** The workspace's highest sequence. */
  head: number
  /** Whether there is more to read at once. */
  has_more: boolean
  /** Before or after the hand-off. */
  phase: 'snapshot' | 'live'
  /** For how many seconds an empty response is held: 0 if it is not empty, and before the hand-off. */
  wait: number
}

export type Mail = { to: string; subject: string; text: string }

/**
 * A refusal is reported in full. An unavailable database is reported as such. Anything else is a bug, of which the
 * caller only gets the request id.
 */
export function answerError(error: unknown, busy: boolean, requestId: string): Answer {
  if (error instanceof Refusal) return answerRefusal(error)
  if (error instanceof OutOfTime) return answerRefusal(slowRequest(error))
  const bug = logText(error)
  if (error instanceof UnknownOutcome) {
    // Without a Retry-After, which would say that nothing was done.
    const message =
      'The database was lost during the write. Whether it took place is not known: repeat it with the same ' +
      'Idempotency-Key, or look before you repeat it.'
    return { status: 503, body: JSON.stringify({ message }), bug }
  }
  if (error instanceof StorageTrouble) return answerTrouble(error, bug)
  if (busy) {
    const message = 'The database is not available at the moment. Retry shortly.'
    return { ...answerRefusal(new Refusal({ kind: 'busy', message, retry_after: 1 })), bug }
  }
  return { status: 500, body: JSON.stringify({ message: 'Server Error', request_id: requestId }), bug }
}

function logText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.stack ?? error.message
  return error instanceof StorageTrouble ? `${text} (${String(error.cause)})` : text
}

/** A write that was committed before the trouble was noticed may exist, so the caller must check before a retry. */
function answerTrouble({ kind, message, committed }: StorageTrouble, bug: string): Answer {
  if (committed) {
    const unknown = `${message} Whether this write is kept is not known: look before you repeat it.`
    return { status: 503, body: JSON.stringify({ message: unknown }), bug, trouble: kind }
  }
  return { ...answerRefusal(new Refusal({ kind: 'busy', message, retry_after: TROUBLE_SECONDS })), bug, trouble: kind }
}

const TROUBLE_SECONDS = 10

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
