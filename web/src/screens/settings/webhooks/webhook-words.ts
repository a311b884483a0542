import type { DeliveryState, DisabledReason, WebhookState } from '@kith/contract/webhooks/webhook'
import type { Webhook } from '../../../api/webhooks.ts'
import { formatAgo } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'

type Label = { label: string; tint: string }

export const stateWords: Readonly<Record<WebhookState, Label>> = {
  active: { label: 'Active', tint: 'green' },
  paused: { label: 'Paused', tint: 'gray' },
  failing: { label: 'Failing', tint: 'red' },
  disabled: { label: 'Disabled', tint: 'red' },
}

export const deliveryWords: Readonly<Record<DeliveryState, Label>> = {
  waiting: { label: 'Waiting', tint: 'amber' },
  delivered: { label: 'Delivered', tint: 'green' },
  failed: { label: 'Failed', tint: 'red' },
}

/** Why a webhook is disabled, and what to do about it. */
export const reasonWords: Readonly<Record<DisabledReason, { why: string; advice: string }>> = {
  gone: {
    why: 'The receiver answered 410 Gone: it does not want events any more.',
    advice: 'If it should receive events again, fix the receiver or enter another URL, and then continue.',
  },
  failing: {
    why: 'Nothing could be delivered for five days.',
    advice: 'Fix the receiver, send a test event, and then continue.',
  },
  creator: {
    why: 'The member who created it has left the workspace, and it read with their rights.',
    advice: 'Create a new webhook, and delete this one.',
  },
  filter: {
    why: 'Its filter names a field or an option that no longer exists.',
    advice: 'Edit the filter, and then continue.',
  },
}

/** Whether the latest of all attempts failed. */
export function failedLast({ last_success_at, last_failure_at }: Webhook['attributes']): boolean {
  return last_failure_at !== null && (last_success_at === null || last_failure_at > last_success_at)
}

/** How far a webhook is behind the feed, and how many records wait for another try. */
export function lagWords({ position }: Webhook['attributes'], now = new Date()): string {
  const { behind, blocked, oldest_at } = position
  const parts = [
    ...(behind === 0 ? [] : [`${formatNumber(behind)} ${behind === 1 ? 'change' : 'changes'} behind`]),
    ...(blocked === 0 ? [] : [blocked === 1 ? '1 record waits' : `${formatNumber(blocked)} records wait`]),
  ]
  if (parts.length === 0) return 'Up to date'
  const lag = parts.join(', ')
  return oldest_at === null ? lag : `${lag}, the oldest from ${formatAgo(oldest_at, now)}`
}

/** When the next attempt is made. */
export function nextTryWords(next: string, now = new Date()): string {
  const left = Date.parse(next) - now.getTime()
  if (left <= 0) return 'The next try is due now.'
  return left < 60_000 ? 'The next try is in less than a minute.' : `The next try is ${formatAgo(next, now)}.`
}
