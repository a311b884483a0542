import type { WebhookTries } from '@kith/contract/app/webhooks'
import { requireAbilities } from '../records/allow.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { countWaiting, findDelivery, findNextReplay } from '../storage/tables/deliveries.ts'
import { summarizeBlocked } from '../storage/tables/webhook-blocked.ts'
import { attemptsOf } from './list-deliveries.ts'
import { requireWebhook } from './webhook.ts'

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
