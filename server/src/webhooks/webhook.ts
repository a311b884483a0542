import { parseId } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import { refuseUnknownId } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { findWebhook, lockWebhook, type WebhookRow } from '../storage/tables/webhooks.ts'

/** The endpoint of this id, as far as the caller may see it. */
export async function requireWebhook(scope: Scope, id: string): Promise<WebhookRow> {
  return visible(scope, id, await findWebhook(scope, parseId(id) ?? ''))
}

/** The same, locked until the transaction ends. */
export async function requireLockedWebhook(inside: Scope, id: string): Promise<WebhookRow> {
  return visible(inside, id, await lockWebhook(inside, parseId(id) ?? ''))
}

/** Endpoints of others look like endpoints that do not exist. */
function visible({ actor }: Scope, id: string, webhook: WebhookRow | undefined): WebhookRow {
  if (webhook && (webhook.creator_id === actor.user_id || seesAllWebhooks(actor))) return webhook
  return refuseUnknownId('webhook', id)
}

export function seesAllWebhooks({ role }: Pick<Scope['actor'], 'role'>): boolean {
  return roleMay(role, 'see_all_webhooks')
}

/** Written by the operations that create and update endpoints. */
export function typesOf({ types }: Pick<WebhookRow, 'types'>): string[] {
  return JSON.parse(types)
}

export function filterOf({ filter }: Pick<WebhookRow, 'filter'>): Readonly<Record<string, unknown>> {
  return filter === null ? {} : JSON.parse(filter)
}

export function changedOf({ changed }: Pick<WebhookRow, 'changed'>): Readonly<Record<string, string[]>> {
  return changed === null ? {} : JSON.parse(changed)
}
