import type { WebhookTries } from '@kith/contract/app/webhooks'
import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { REPLAY_MAX } from '@kith/contract/limits'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseWord } from '@kith/contract/parse-word'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { readObject, shownOf } from '@kith/contract/shape'
import {
  type Delivery,
  type DeliveryAttempt,
  delivery,
  deliveryStates,
  type Replay,
  replays,
} from '@kith/contract/webhooks/webhook'
import { findEntry, findRange } from '../changes/position.ts'
import { presentByResource } from '../changes/present-changes.ts'
import { type Entry, readAt, readPart } from '../changes/read-part.ts'
import type { RawParameters } from '../records/expected.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, inTransaction, type Scope } from '../scope/scope.ts'
import {
  countWaiting,
  type DeliveryRow,
  deliveryTable,
  findDeliveredSequence,
  findNextReplay,
  loadDeliveries,
  loadFailedSequences,
} from '../storage/tables/deliveries.ts'
import { summarizeBlocked, type WebhookRow, webhookTable } from '../storage/tables/webhooks.ts'
import { changedOf, filterOf, requireLockedWebhook, requireWebhook, wantedBy } from './webhook.ts'

export type DeliveryObject = { id: string; type: 'deliveries'; attributes: Delivery }

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
  const found = await deliveryTable.find(scope, { webhook_id: webhook.id, id: parseId(delivery_id) ?? '' })
  return found ? presentDelivery(found) : refuseUnknownId('delivery', delivery_id)
}

export function presentDelivery(row: DeliveryRow): DeliveryObject {
  const attributes = shownOf(delivery, { ...row, replay: row.replay === 1, attempts: attemptsOf(row) })
  return { id: row.id, type: 'deliveries', attributes }
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
    const last = await deliveryTable.find(inside, { webhook_id: webhook.id, id: last_failure_id ?? '' })
    const failure = last && attemptsOf(last).findLast(({ error }) => error !== null)
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
    await deliveryTable.insertAll(inside, rows)
    // The node that delivers looks for replays when the endpoint has changed.
    if (rows.length > 0) await webhookTable.update(inside, { id: webhook.id }, { revision: webhook.revision + 1 })
    return rows.length
  })
}

async function findEvents(inside: Scope, webhook: WebhookRow, wanted: Replay): Promise<Entry[]> {
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
  const shaping = { filter: filterOf(webhook), changed: changedOf(webhook), payload: 'thin' as const }
  const some = await presentByResource(inside, wantedBy(webhook, entries), shaping)
  if (!some) refuseValue('filter', 'The filter of the webhook names something that no longer exists. Change it first.')
  return some.toSorted((one, other) => (one.attributes.sequence ?? 0) - (other.attributes.sequence ?? 0))
}

const FORMS = 'Send one of: {event_id}, {from_sequence, to_sequence}, {since, until}, {only: "failed"}.'

function parseReplay(body: unknown): Replay {
  return parseOrRefuse([], (report): Replay => {
    const isNamed = (key: string) => isObject(body) && Object.hasOwn(body, key)
    const [form, ...more] = replays.filter((shapes) => Object.keys(shapes).some(isNamed))
    if (form === undefined || more.length > 0) {
      report('body', `The body names no events, or names them twice. ${FORMS}`)
      return { only: 'failed' }
    }
    const replay = readObject(body, form, report)
    if ('to_sequence' in replay && replay.to_sequence < replay.from_sequence) {
      report('to_sequence', 'The to_sequence must not be lower than the from_sequence.')
    }
    if ('until' in replay && replay.until < replay.since) report('until', 'The until must not be before the since.')
    return replay
  })
}
