import type { Definitions } from '@kith/contract/field-definition'
import { resourceNames } from '@kith/contract/resource'
import { readLags } from '../changes/lag.ts'
import type { Scope } from '../scope/scope.ts'
import { summarizeBlocked } from '../storage/tables/webhook-blocked.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'
import { withOptionLabels } from './filter-options.ts'
import { changedOf, filterOf, typesOf } from './webhook.ts'

export type WebhookObject = { id: string; type: 'webhooks'; attributes: Record<string, unknown> }

/** Endpoints as they are sent, without their secrets. Called in a snapshot or a transaction. */
export async function presentWebhooks(
  inside: Scope,
  webhooks: readonly WebhookRow[],
  definitions: Definitions,
): Promise<WebhookObject[]> {
  const ids = webhooks.map(({ id }) => id)
  const blocked = await summarizeBlocked(inside, ids)
  const places = webhooks.map(({ id, epoch, sequence }) => ({ epoch, sequence, oldest: blocked.get(id)?.sequence }))
  const lags = await readLags(inside, places)
  return webhooks.map((webhook, index) => {
    const { behind = 0, oldest_at = null } = lags[index] ?? {}
    const { records = 0 } = blocked.get(webhook.id) ?? {}
    return presentWebhook(webhook, { sequence: webhook.sequence, behind, blocked: records, oldest_at }, definitions)
  })
}

type Position = { sequence: number; behind: number; blocked: number; oldest_at: string | null }

function presentWebhook(webhook: WebhookRow, position: Position, definitions: Definitions): WebhookObject {
  const { id, url, description, payload, max_in_flight, state, reason } = webhook
  const { last_success_at, last_failure_at, created_at, updated_at, creator_id } = webhook
  return {
    id,
    type: 'webhooks',
    attributes: {
      url,
      types: typesOf(webhook),
      description,
      filter: webhook.filter === null ? null : shownFilters(filterOf(webhook), definitions),
      changed: webhook.changed === null ? null : changedOf(webhook),
      payload,
      exclude_own: webhook.exclude_own === 1,
      max_in_flight,
      state,
      reason,
      position,
      ...{ last_success_at, last_failure_at, created_at, updated_at, creator_id },
    },
  }
}

function shownFilters(filters: Readonly<Record<string, unknown>>, definitions: Definitions): Record<string, unknown> {
  const names = resourceNames.filter((name) => name in filters)
  return Object.fromEntries(names.map((name) => [name, withOptionLabels(filters[name], definitions[name])]))
}
