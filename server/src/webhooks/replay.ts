import { newId, parseId } from '@kith/contract/id'
import { REPLAY_MAX } from '@kith/contract/limits'
import { MOMENT_FORMS, parseMoment } from '@kith/contract/moment'
import { isObject } from '@kith/contract/raw-input'
import { refuseValue } from '@kith/contract/refusal'
import type { Entry } from '../changes/entry.ts'
import { findEntry, findRange } from '../changes/position.ts'
import { presentByResource } from '../changes/present-changes.ts'
import { readAt, readPart } from '../changes/read-part.ts'
import { requireAbilities } from '../records/allow.ts'
import { type Fields, readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import {
  type DeliveryRow,
  findDeliveredSequence,
  insertDeliveries,
  loadFailedSequences,
} from '../storage/tables/deliveries.ts'
import { replaceWebhook, type WebhookRow } from '../storage/tables/webhooks.ts'
import { changedOf, filterOf, requireLockedWebhook, wantedBy } from './webhook.ts'

/** Sends events again, next to the ordinary ones. Returns how many. */
export function replayEvents(scope: Scope, id: string, body: unknown): Promise<number> {
  requireAbilities(scope, ['create'])
  return inTransaction(scope, async (inside) => {
    const webhook = await requireLockedWebhook(inside, id)
    const entries = await findEvents(inside, webhook, parseReplay(body))
    const at = inside.now()
    const rows = entries.map(({ id: event_id, attributes }): DeliveryRow => {
      const { resource, kind, record_id, sequence } = attributes
      return {
        ...{
          webhook_id: webhook.id,
          id: newId(at.getTime()),
          event_id,
          type: `${resource}.${kind}`,
          record_id,
          sequence,
        },
        ...{
          state: 'waiting',
          replay: 1,
          created_at: at.toISOString(),
          next_attempt_at: at.toISOString(),
          attempts: '',
        },
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
