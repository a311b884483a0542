import { storedKinds } from '@kith/contract/changes/change-kind'
import { isOfTypes } from '@kith/contract/webhooks/event-types'
import type { Entry } from '../../changes/entry.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import { typesOf } from '../webhook.ts'

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
