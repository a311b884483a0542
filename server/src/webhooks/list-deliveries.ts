import type { WebhookTries } from '@kith/contract/app/webhooks'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseWord } from '@kith/contract/parse-word'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseUnknownId } from '@kith/contract/refusal'
import { type DeliveryAttempt, deliveryStates } from '@kith/contract/webhooks/webhook'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import {
  countWaiting,
  type DeliveryRow,
  findDelivery,
  findNextReplay,
  loadDeliveries,
} from '../storage/tables/deliveries.ts'
import { summarizeBlocked } from '../storage/tables/webhooks.ts'
import { requireWebhook } from './webhook.ts'

export type DeliveryObject = { id: string; type: 'deliveries'; attributes: Record<string, unknown> }

/** One page of the log of an endpoint, the latest first. */
export async function listDeliveries(
  scope: Scope,
  { id, asked }: { id: string; asked: Asked },
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
      ...{ event_id, type, record_id, sequence, state, replay: row.replay === 1, created_at, next_attempt_at },
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
  if (id === undefined) report('record_id', `The record_id must be an ID. ${excerpt(String(raw))} is none.`)
  return id
}

/** What failed last at an endpoint, and when the next attempt is, whatever the length of its log. */
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
