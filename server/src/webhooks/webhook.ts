import { storedKinds } from '@kith/contract/changes/change-kind'
import { parseId } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import { refuseUnknownId } from '@kith/contract/refusal'
import { isOfTypes } from '@kith/contract/webhooks/event-types'
import type { Entry } from '../changes/entry.ts'
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

/** The entries of the feed that an endpoint asks for, before its filters, each with whether its creator made it. */
export function wantedBy(webhook: WebhookRow, entries: readonly Entry[]): Entry[] {
  const types = typesOf(webhook)
  return entries.flatMap((entry): Entry[] => {
    const { attributes } = entry
    const kind = storedKinds.find((one) => one === attributes.kind)
    if (!kind || !isOfTypes(types, { resource: attributes.resource, kind })) return []
    const { origin } = attributes
    const own = origin !== null && isOwn(webhook, origin)
    if (own && webhook.exclude_own === 1) return []
    return [{ ...entry, attributes: { ...attributes, origin: origin && { ...origin, own } } }]
  })
}

type Origin = NonNullable<Entry['attributes']['origin']>

/** Made by the token that created the endpoint; in the application, by its creator. */
function isOwn({ token_id, creator_id }: WebhookRow, origin: Origin): boolean {
  if (token_id !== null) return origin.token_id === token_id
  return origin.token_id === null && origin.source === 'web' && origin.actor_id === creator_id
}
