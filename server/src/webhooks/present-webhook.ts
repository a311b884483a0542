import { type FeedLag, readLags } from '../changes/lag.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'
import { changedOf, filterOf, typesOf } from './webhook.ts'

export type WebhookObject = { id: string; type: 'webhooks'; attributes: Record<string, unknown> }

/** Endpoints as they are sent, without their secrets. */
export async function presentWebhooks(scope: Scope, webhooks: readonly WebhookRow[]): Promise<WebhookObject[]> {
  const lags = await inSnapshot(scope, (inside) => readLags(inside, webhooks))
  return webhooks.map((webhook, index) => presentWebhook(webhook, lags[index]))
}

function presentWebhook(webhook: WebhookRow, lag: FeedLag | undefined): WebhookObject {
  const { id, url, description, payload, max_in_flight, state, reason } = webhook
  const { sequence, last_success_at, last_failure_at, created_at, updated_at, creator_id } = webhook
  return {
    id,
    type: 'webhooks',
    attributes: {
      url,
      types: typesOf(webhook),
      description,
      filter: webhook.filter === null ? null : filterOf(webhook),
      changed: webhook.changed === null ? null : changedOf(webhook),
      payload,
      exclude_own: webhook.exclude_own === 1,
      max_in_flight,
      state,
      reason,
      position: { sequence, behind: lag?.behind ?? 0, oldest_at: lag?.oldest_at ?? null },
      ...{ last_success_at, last_failure_at, created_at, updated_at, creator_id },
    },
  }
}
