import { newId } from '@kith/contract/id'
import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import { requireAbilities } from '../records/allow.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { type DeliveryRow, insertDeliveries } from '../storage/tables/deliveries.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'
import { type DeliveryObject, presentDelivery } from './list-deliveries.ts'
import { testEvent, type WebhookEvent } from './send/event.ts'
import { requireWebhook } from './webhook.ts'

/** What is to be sent, outside of any transaction. */
export type WantedTest = { webhook: WebhookRow; event: WebhookEvent }

/** What was sent, and what came of it. */
export type SentTest = { event: WebhookEvent; attempt: DeliveryAttempt }

/** Before a test event is sent. */
export async function expectTest(scope: Scope, id: string): Promise<WantedTest> {
  requireAbilities(scope, ['create'])
  const webhook = await requireWebhook(scope, id)
  const at = scope.now()
  const event = testEvent(newId(at.getTime()), { at: at.toISOString(), endpoint_id: webhook.id })
  return { webhook, event }
}

/** Adds a test event that was sent to the log. It is not retried and does not move the position. */
export function storeTest(scope: Scope, id: string, { event, attempt }: SentTest): Promise<DeliveryObject> {
  requireAbilities(scope, ['create'])
  return inTransaction(scope, async (inside) => {
    const webhook = await requireWebhook(inside, id)
    const row: DeliveryRow = {
      ...{ webhook_id: webhook.id, id: newId(inside.now().getTime()), event_id: event.id, type: event.type },
      ...{ record_id: null, sequence: null, state: attempt.error === null ? 'delivered' : 'failed', replay: 0 },
      ...{ created_at: attempt.at, next_attempt_at: null, attempts: JSON.stringify(attempt) },
    }
    await insertDeliveries(inside, [row])
    return presentDelivery(row)
  })
}
