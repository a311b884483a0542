import {
  BLOCKED_MAX,
  DAY_MS,
  FAILING_DAYS,
  FAILING_NOTICE_HOURS,
  FAILURES_MAX,
  HOUR_MS,
  RETRY_AFTER_MAX_SECONDS,
} from '@kith/contract/limits'
import type { DisabledReason } from '@kith/contract/webhooks/webhook'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'

/** The columns with the health of an endpoint, which follows from its attempts. */
export const healthColumns = [
  'state',
  'reason',
  'failures',
  'failed_since',
  'noticed',
  'notice',
  'last_success_at',
  'last_failure_at',
  'last_failure_id',
] as const satisfies readonly (keyof WebhookRow)[]

export type Health = Pick<WebhookRow, (typeof healthColumns)[number]>

/** The first success makes a failing endpoint active. */
export function afterSuccess<H extends Health>(health: H, at: string): H {
  const state = health.state === 'failing' ? 'active' : health.state
  return { ...health, state, failures: 0, failed_since: null, noticed: 0, last_success_at: at }
}

/** A failed attempt. `gone`: the receiver answered 410. `blocked` is the number of blocked records with this one. */
export function afterFailure<H extends Health>(
  health: H,
  { at, gone, blocked }: { at: string; gone: boolean; blocked: number },
): H {
  const failures = health.failures + 1
  const failed_since = health.failed_since ?? at
  const failed = { ...health, failures, failed_since, last_failure_at: at }
  if (health.state === 'disabled') return failed
  if (gone) return disabled(failed, 'gone')
  if (Date.parse(at) - Date.parse(failed_since) >= FAILING_DAYS * DAY_MS) return disabled(failed, 'failing')
  const isFailing = failures >= FAILURES_MAX || blocked >= BLOCKED_MAX
  return isFailing && health.state === 'active' ? { ...failed, state: 'failing' } : failed
}

export function disabled<H extends Health>(health: H, reason: DisabledReason): H {
  return { ...health, state: 'disabled', reason, notice: 'disabled' }
}

/** A mail is sent once there were only failures for an hour. */
export function afterTime<H extends Health>(health: H, at: Date): H {
  const { failed_since, noticed } = health
  if (failed_since === null || noticed === 1) return health
  if (at.getTime() - Date.parse(failed_since) < FAILING_NOTICE_HOURS * HOUR_MS) return health
  return { ...health, noticed: 1, notice: 'failing' }
}

const SPREAD = 0.2

/** When an event is retried, in milliseconds. Undefined if it is given up. */
export function retryDelay({
  made,
  retries,
  failing,
  asked_ms,
}: {
  /** How many attempts were made. */
  made: number
  /** Seconds between the attempts. */
  retries: readonly number[]
  failing: boolean
  /** The wait that the receiver asks for, in milliseconds. */
  asked_ms: number | undefined
}): number | undefined {
  const seconds = retries[made - 1]
  if (seconds === undefined && !failing) return undefined
  if (asked_ms !== undefined) return Math.min(Math.max(asked_ms, 1000), RETRY_AFTER_MAX_SECONDS * 1000)
  // After the schedule, a failing endpoint is retried daily.
  const ms = seconds === undefined ? DAY_MS : seconds * 1000
  return ms * (1 - SPREAD + 2 * SPREAD * Math.random())
}
