import type { WebhookTries } from '@kith/contract/app/webhooks'
import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { REPLAY_MAX } from '@kith/contract/limits'
import { parsePageQuery } from '@kith/contract/list-query'
import { MOMENT_FORMS, parseMoment } from '@kith/contract/moment'
import { parseWord } from '@kith/contract/parse-word'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { type DeliveryAttempt, deliveryStates } from '@kith/contract/webhooks/webhook'
import { findEntry, findRange } from '../changes/position.ts'
import { presentByResource } from '../changes/present-changes.ts'
import { type Entry, readAt, readPart } from '../changes/read-part.ts'
import type { RawParameters } from '../records/expected.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { type Fields, readInput } from '../scope/read-input.ts'
import { inSnapshot, inTransaction, type Scope } from '../scope/scope.ts'
import {
  countWaiting,
  type DeliveryRow,
  findDeliveredSequence,
  findDelivery,
  findNextReplay,
  insertDeliveries,
  loadDeliveries,
  loadFailedSequences,
} from '../storage/tables/deliveries.ts'
import { replaceWebhook, summarizeBlocked, type WebhookRow } from '../storage/tables/webhooks.ts'
import { changedOf, filterOf, requireLockedWebhook, requireWebhook, wantedBy } from './webhook.ts'

export type DeliveryObject = { id: string; type: 'deliveries'; attributes: Record<string, unknown> }

/** A page of the log of an endpoint, latest first. */
export async function listDeliveries(
  scope: Scope,
  { id, asked }: { id: string; asked: RawParameters },
): Promise<PageOf<DeliveryObject>> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const webhook = await requireWebhook(inside, id)
    const { page, per_page, ...wanted } = parseOrRefuse(asked.issues, (report) => ({
      ...parsePageQuery(asked.raw, ['state', 'record_id'], report),
      state: parseWord(asked.raw.state, { name: 'state', words: deliveryStates }, report),
      record_id: parseRecordId(asked.raw.record_id, report),
    }))
    const limits = { limit: per_page, offset: (page - 1) * per_page }
    const { rows, total } = await loadDeliveries(inside, { webhook_id: webhook.id, ...wanted, ...limits })
    return { data: rows.map(presentDelivery), page, per_page, total }
  })
}

export async function readDelivery(
  scope: Scope,
  { id, delivery_id }: { id: string; delivery_id: string },
): Promise<DeliveryObject> {
  requireAbilities(scope, ['read'])
  const webhook = await requireWebhook(scope, id)
  const delivery = await findDelivery(scope, webhook.id, parseId(delivery_id) ?? '')
  return delivery ? presentDelivery(delivery) : refuseUnknownId('delivery', delivery_id)
}

export function presentDelivery(row: DeliveryRow): DeliveryObject {
  const { id, event_id, type, record_id, sequence, state, created_at, next_attempt_at } = row
  return {
    id,
    type: 'deliveries',
    attributes: {
      event_id,
      type,
      record_id,
      sequence,
      state,
      replay: row.replay === 1,
      created_at,
      next_attempt_at,
      attempts: attemptsOf(row),
    },
  }
}

/** Written by the node that delivers, and with tests. */
function attemptsOf({ attempts }: Pick<DeliveryRow, 'attempts'>): DeliveryAttempt[] {
  return JSON.parse(`[${attempts}]`)
}

function parseRecordId(raw: unknown, report: Report): string | undefined {
  if (isUnsent(raw)) return undefined
  const id = parseId(raw)
  if (id === undefined) report('record_id', `The record_id must be an ID. ${excerpt(String(raw))} is not one.`)
  return id
}

/** The last failure of an endpoint, and the time of the next attempt, at a cost that does not depend on the log. */
export async function readTries(scope: Scope, id: string): Promise<WebhookTries> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const webhook = await requireWebhook(inside, id)
    const { last_failure_id } = webhook
    const delivery = last_failure_id === null ? undefined : await findDelivery(inside, webhook.id, last_failure_id)
    const failure = delivery && attemptsOf(delivery).findLast(({ error }) => error !== null)
    const blocked = (await summarizeBlocked(inside, [webhook.id])).get(webhook.id)
    // A failing endpoint gets no replays.
    const replay = webhook.state === 'active' ? await findNextReplay(inside, webhook.id) : undefined
    const [next] = [blocked?.due_at, replay].flatMap((time) => time ?? []).toSorted()
    return {
      last_failure: failure ? withoutRequest(failure) : null,
      next_attempt_at: next ?? null,
      waiting: await countWaiting(inside, webhook.id),
    }
  })
}

function withoutRequest({ at, status, ms, error, response }: ReturnType<typeof attemptsOf>[number]) {
  return { at, status, ms, error, response }
}

/** Sends events again, in parallel to the ordinary ones. Returns how many. */
export function replayEvents(scope: Scope, id: string, body: unknown): Promise<number> {
  requireAbilities(scope, ['create'])
  return inTransaction(scope, async (inside) => {
    const webhook = await requireLockedWebhook(inside, id)
    const entries = await findEvents(inside, webhook, parseReplay(body))
    const at = inside.now()
    const rows = entries.map(({ id: event_id, attributes }): DeliveryRow => {
      const { resource, kind, record_id, sequence } = attributes
      return {
        webhook_id: webhook.id,
        id: newId(at.getTime()),
        event_id,
        type: `${resource}.${kind}`,
        record_id,
        sequence,
        state: 'waiting',
        replay: 1,
        created_at: at.toISOString(),
        next_attempt_at: at.toISOString(),
        attempts: '',
      }
    })
    await insertDeliveries(inside, rows)
    // The node that delivers looks for replays when the endpoint has changed.
    if (rows.length > 0) await replaceWebhook(inside, webhook.id, { revision: webhook.revision + 1 })
    return rows.length
  })
}

async function findEvents(inside: Scope, webhook: WebhookRow, wanted: WantedReplay): Promise<Entry[]> {
  if ('event_id' in wanted) {
    const { event_id } = wanted
    const sequence = await findDeliveredSequence(inside, webhook.id, event_id)
    const [entry] = sequence === undefined ? await findEntry(inside, event_id) : await readAt(inside, [sequence])
    const [event] = entry ? wantedBy({ ...webhook, exclude_own: 0 }, [entry]) : []
    return event ? [event] : refuseValue('event_id', `No event of this webhook in the feed has the ID ${event_id}.`)
  }
  if ('only' in wanted) {
    const sequences = await loadFailedSequences(inside, webhook.id, REPLAY_MAX)
    return shown(inside, webhook, await readAt(inside, sequences))
  }
  const { after, until } = await findRange(inside, wanted)
  if (until - after > REPLAY_MAX) {
    const path = 'since' in wanted ? 'until' : 'to_sequence'
    const most = REPLAY_MAX.toLocaleString('en-US')
    refuseValue(
      path,
      `The range has ${until - after} changes. At most ${most} can be replayed at once: send a smaller one.`,
    )
  }
  const entries: Entry[] = []
  for (let from = after; from < until; ) {
    const part = await readPart(inside, { after: from, until, limit: 1000 })
    entries.push(...part.entries)
    from = part.until > from ? part.until : until
  }
  const isWithin = ({ attributes: { at } }: Entry) => !('since' in wanted) || (at >= wanted.since && at <= wanted.until)
  return shown(inside, webhook, entries.filter(isWithin))
}

/** The events that the endpoint would get now. */
async function shown(inside: Scope, webhook: WebhookRow, entries: readonly Entry[]): Promise<Entry[]> {
  const shaping = { filter: filterOf(webhook), changed: changedOf(webhook), thin: true }
  const some = await presentByResource(inside, wantedBy(webhook, entries), shaping)
  if (!some) refuseValue('filter', 'The filter of the webhook names something that no longer exists. Change it first.')
  return some.toSorted((one, other) => (one.attributes.sequence ?? 0) - (other.attributes.sequence ?? 0))
}

/** Which events are sent again. */
type WantedReplay =
  | { event_id: string }
  | { from_sequence: number; to_sequence: number }
  | { since: string; until: string }
  | { only: 'failed' }

const FORMS = 'Send one of: {event_id}, {from_sequence, to_sequence}, {since, until}, {only: "failed"}.'

function parseReplay(body: unknown): WantedReplay {
  return readInput(body, (fields) => {
    const has = (key: string) => {
      fields.raw(key)
      return isObject(body) && Object.hasOwn(body, key)
    }
    const forms = [
      has('event_id'),
      [has('from_sequence'), has('to_sequence')].includes(true),
      [has('since'), has('until')].includes(true),
      has('only'),
    ]
    if (forms.filter(Boolean).length !== 1)
      fields.report('body', `The body names no events, or names them twice. ${FORMS}`)
    else if (forms[0]) return { event_id: eventId(fields) }
    else if (forms[1]) return sequences(fields)
    else if (forms[2]) return times(fields)
    else if (fields.raw('only') !== 'failed') fields.report('only', 'The only must be failed.')
    return { only: 'failed' }
  })
}

function eventId({ raw, report }: Fields): string {
  const id = parseId(raw('event_id'))
  if (id === undefined) report('event_id', 'The event_id must be the ID of an event, as webhook-id shows it.')
  return id ?? ''
}

function sequences({ raw, report }: Fields) {
  const read = (key: string): number => {
    const value = raw(key)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
    report(key, `The ${key} must be a sequence: a whole number from 1. Both ends of the range are required.`)
    return 0
  }
  const range = { from_sequence: read('from_sequence'), to_sequence: read('to_sequence') }
  if (range.to_sequence > 0 && range.to_sequence < range.from_sequence) {
    report('to_sequence', 'The to_sequence must not be lower than the from_sequence.')
  }
  return range
}

function times({ raw, report }: Fields) {
  const read = (key: string): string => {
    const value = raw(key)
    const moment = typeof value === 'string' ? parseMoment(value) : undefined
    if (moment === undefined) report(key, `The ${key} must be ${MOMENT_FORMS}. Both since and until are required.`)
    return moment ?? ''
  }
  const range = { since: read('since'), until: read('until') }
  if (range.since !== '' && range.until !== '' && range.until < range.since) {
    report('until', 'The until must not be before the since.')
  }
  return range
}
