import { storedKinds } from '@kith/contract/changes/change-kind'
import { DELIVERY_SECONDS } from '@kith/contract/limits'
import type { Schema } from '@kith/contract/resource'
import type { DeliveryAttempt, DeliveryState, DisabledReason, WebhookState } from '@kith/contract/webhooks/webhook'
import type { Webhook } from '../../../api/webhooks.ts'
import { formatAgo } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { feedResources, feedWords } from '../sync/feed-words.ts'

type StateLabel = { label: string; tint: string }

export const stateWords: Readonly<Record<WebhookState, StateLabel>> = {
  active: { label: 'Active', tint: 'green' },
  paused: { label: 'Paused', tint: 'gray' },
  failing: { label: 'Failing', tint: 'red' },
  disabled: { label: 'Disabled', tint: 'red' },
}

export const deliveryWords: Readonly<Record<DeliveryState, StateLabel>> = {
  waiting: { label: 'Waiting', tint: 'amber' },
  delivered: { label: 'Delivered', tint: 'green' },
  failed: { label: 'Failed', tint: 'red' },
}

const TAKE_OVER =
  'Check that you know the receiver. If you continue, the webhook is yours: it reads with your rights, and ends with your access.'

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
  token: {
    why: 'The token or connection that created it, or that entered its URL, was revoked or has expired.',
    advice: TAKE_OVER,
  },
  role: {
    why: 'The member who created it may no longer change records.',
    advice: TAKE_OVER,
  },
  password: {
    why: 'The password of the member who created it was reset.',
    advice: TAKE_OVER,
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

/** Failures without a response, and what to do about them. */
const failures: Readonly<Record<string, { what: string; advice: string }>> = {
  timeout: {
    what: `The receiver did not answer within ${DELIVERY_SECONDS} seconds.`,
    advice: 'Store the event, answer with 2xx, and process it afterwards.',
  },
  dns: {
    what: 'The host name was not found.',
    advice: 'Check the host in the URL, and its DNS records.',
  },
  blocked_address: {
    what: 'The host leads to a private or local address. Nothing is sent there.',
    advice: 'Use a public address. The operator of this installation can allow hosts with WEBHOOK_ALLOW_PRIVATE.',
  },
  tls: {
    what: 'The TLS certificate of the receiver was not accepted.',
    advice: 'It must be valid for this host and issued by a public authority. Send the intermediate certificates too.',
  },
  connection: {
    what: 'No connection to the receiver could be made, or it was closed early.',
    advice: 'Check that the receiver runs, and that a firewall does not block it.',
  },
  invalid_response: {
    what: 'The response was not valid HTTP.',
    advice: 'Check that the URL leads to a web server.',
  },
  secret: {
    what: 'The secret could not be decrypted, so nothing was sent.',
    advice: 'Rotate the secret. This happens if the SECRET of the installation was changed.',
  },
}

/** The result of an attempt, and what to do if it failed. */
export function attemptWords({ status, error, response }: Pick<DeliveryAttempt, 'status' | 'error' | 'response'>): {
  what: string
  advice?: string
} {
  if (error === null) return { what: `The receiver accepted it with ${status}.` }
  if (status === null) return failures[error] ?? { what: `It failed: ${error}.` }
  if (status < 200 || status >= 400) return { what: `The receiver returned ${status}.`, advice: adviceFor(status) }
  if (status < 300) return { what: `It failed after ${status}: ${error}.` }
  const target = response?.headers.location
  return {
    what: `The receiver redirected${target === undefined ? '' : ` to ${target}`} with ${status}. Redirects are not followed.`,
    advice: 'Enter the address that it redirects to as the URL.',
  }
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'Let requests in without signing in. Verify their signature instead.'
  if (status === 404 || status === 405) return 'Check the path of the URL, and that the receiver takes POST requests.'
  if (status === 413) return 'Accept larger bodies, or choose the thin payload.'
  if (status === 429) return 'The receiver asks for fewer requests. Lower the number of events in flight.'
  if (status >= 500) return 'Look into the log of the receiver.'
  return 'The body of the response may say why. Any 2xx status counts as success.'
}

export const ALL_EVENTS = '*'

/** The kinds of changes of definitions and members. Records know every kind. */
const kindsOfOthers: Readonly<Record<string, readonly string[]>> = {
  schemas: ['created', 'updated', 'deleted', 'restored'],
  custom_fields: ['created', 'updated', 'deleted', 'restored'],
  users: ['created', 'updated', 'deleted'],
}

/** The kinds of changes that a resource can have. */
export function kindsOf(resource: string): readonly string[] {
  return kindsOfOthers[resource] ?? storedKinds
}

/** The kinds of a resource that are sent. */
export function chosenKinds(types: readonly string[], resource: string): readonly string[] {
  if (types.includes(ALL_EVENTS) || types.includes(`${resource}.*`)) return kindsOf(resource)
  return kindsOf(resource).filter((kind) => types.includes(`${resource}.${kind}`))
}

/** The types with other kinds for one resource. All kinds are written as `<resource>.*`. */
export function withKinds(types: readonly string[], resource: string, kinds: readonly string[]): string[] {
  const others = types.filter((type) => !type.startsWith(`${resource}.`))
  const isAll = kindsOf(resource).every((kind) => kinds.includes(kind))
  return [...others, ...(isAll ? [`${resource}.*`] : kinds.map((kind) => `${resource}.${kind}`))]
}

/** The chosen events in words: "Companies created or updated; all changes of people". */
export function typesInWords(schema: Schema, types: readonly string[]): string {
  const parts = feedResources(schema).map((resource) => ({
    many: feedWords(schema, resource).many,
    kinds: chosenKinds(types, resource),
    isAll: chosenKinds(types, resource).length === kindsOf(resource).length,
  }))
  if (parts.every(({ isAll }) => isAll)) return 'Everything'
  const whole = parts.filter(({ isAll }) => isAll).map(({ many }) => many)
  const some = parts
    .filter(({ isAll, kinds }) => !isAll && kinds.length > 0)
    .map(({ many, kinds }) => `${many} ${listed(kinds, 'or')}`)
  const said = [...(whole.length === 0 ? [] : [`all changes of ${listed(whole, 'and')}`]), ...some].join('; ')
  return said === '' ? 'Nothing' : said[0]?.toUpperCase() + said.slice(1)
}

function listed(words: readonly string[], joint: 'and' | 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`
}
