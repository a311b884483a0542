import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { parsePageQuery } from '@kith/contract/page-query'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny, refuseUnknownId } from '@kith/contract/refusal'
import { type DeliveryAttempt, type DeliveryState, deliveryStates } from '@kith/contract/webhooks/webhook'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { type DeliveryRow, findDelivery, loadDeliveries } from '../storage/tables/deliveries.ts'
import { requireWebhook } from './webhook.ts'

export type DeliveryObject = { id: string; type: 'deliveries'; attributes: Record<string, unknown> }

type ListedDeliveries = { data: DeliveryObject[]; page: number; per_page: number; total: number }

/** One page of the log of an endpoint, the latest first. */
export async function listDeliveries(
  scope: Scope,
  { id, asked }: { id: string; asked: Asked },
): Promise<ListedDeliveries> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const webhook = await requireWebhook(inside, id)
    const issues: Issue[] = [...asked.issues]
    const report = reportInto(issues)
    const { page, per_page } = parsePageQuery(asked.raw, ['state', 'record_id'], report)
    const state = parseState(asked.raw.state, report)
    const record_id = parseRecordId(asked.raw.record_id, report)
    refuseIfAny(issues)
    const limits = { limit: per_page, offset: (page - 1) * per_page }
    const { rows, total } = await loadDeliveries(inside, { webhook_id: webhook.id, state, record_id, ...limits })
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
export function attemptsOf({ attempts }: Pick<DeliveryRow, 'attempts'>): DeliveryAttempt[] {
  return JSON.parse(`[${attempts}]`)
}

function parseState(raw: unknown, report: Report): DeliveryState | undefined {
  if (isUnsent(raw)) return undefined
  const state = deliveryStates.find((one) => one === raw)
  if (state === undefined) report('state', `The state must be one of: ${deliveryStates.join(', ')}.`)
  return state
}

function parseRecordId(raw: unknown, report: Report): string | undefined {
  if (isUnsent(raw)) return undefined
  const id = parseId(raw)
  if (id === undefined) report('record_id', `The record_id must be an ID. ${excerpt(String(raw))} is none.`)
  return id
}
