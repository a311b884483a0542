import type { EndingWebhook, WebhookTries } from '@kith/contract/app/webhooks'
import type { DeliveryState, webhookSettings } from '@kith/contract/webhooks/webhook'
import type { DeliveryObject, WebhookObject } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call, callForData, dataQuery, documentQuery, searchOf } from './call.ts'

export type Webhook = WebhookObject
export type Delivery = DeliveryObject

/** The settings of a webhook. */
export type WebhookInput = Pick<Webhook['attributes'], keyof typeof webhookSettings>

/** A webhook with its new secret. */
type WebhookWithSecret = Webhook & { attributes: { secret: string } }

export type DeliveryPage = {
  data: Delivery[]
  meta: { total: number; per_page: number; current_page: number; last_page: number }
}

/** How often the state and the log are read again while the page is visible. */
const OFTEN_MS = 4000
const DELIVERIES_PER_PAGE = 20
const fresh = { staleTime: 0, refetchInterval: OFTEN_MS } as const

/** Everything about webhooks that is kept. */
export function webhooksKey(slug: string): string[] {
  return [slug, 'webhooks']
}

/** The webhooks of the member; owners and admins see all. There are 50 at most. */
export function webhooksQuery(slug: string) {
  return queryOptions({
    ...dataQuery<Webhook[]>([...webhooksKey(slug), 'list'], `/w/${slug}/v1/webhooks?per_page=100`),
    ...fresh,
  })
}

export function webhookQuery(slug: string, id: string) {
  return queryOptions({ ...dataQuery<Webhook>([...webhooksKey(slug), id], `/w/${slug}/v1/webhooks/${id}`), ...fresh })
}

/** A token or connection, or a member, whose webhooks end with it. */
export type WebhookOwner = { token: string } | { member: string }

export function endingWebhooksQuery(slug: string, endsWith: WebhookOwner) {
  const search = searchOf(endsWith)
  return queryOptions({
    ...dataQuery<EndingWebhook[]>([...webhooksKey(slug), 'ending', search], `/w/${slug}/webhooks/ending${search}`),
    staleTime: 0,
  })
}

/** One page of the log, the latest first. */
export function deliveriesQuery(
  slug: string,
  id: string,
  { state, page }: { state?: DeliveryState | undefined; page?: number | undefined },
) {
  const search = searchOf({ state, page, per_page: DELIVERIES_PER_PAGE })
  return queryOptions({
    ...documentQuery<DeliveryPage>(
      [...webhooksKey(slug), id, 'deliveries', search],
      `/w/${slug}/v1/webhooks/${id}/deliveries${search}`,
    ),
    ...fresh,
  })
}

/** The last failure, and the time of the next try. */
export function triesQuery(slug: string, id: string) {
  return queryOptions({
    ...dataQuery<WebhookTries>([...webhooksKey(slug), id, 'tries'], `/w/${slug}/webhooks/${id}/tries`),
    ...fresh,
  })
}

/** A delivery, again and again until no further attempt follows. */
export function deliveryQuery(slug: string, id: string, delivery: string) {
  return queryOptions({
    ...dataQuery<Delivery>(
      [...webhooksKey(slug), id, 'delivery', delivery],
      `/w/${slug}/v1/webhooks/${id}/deliveries/${delivery}`,
    ),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.attributes.state === 'waiting' ? OFTEN_MS : false),
  })
}

/** Creates a webhook that begins now, or at a cursor. The same key creates it once, and returns the same secret. */
export function createWebhook(
  slug: string,
  { input, key }: { input: WebhookInput & { from: string }; key: string },
): Promise<WebhookWithSecret> {
  return callForData('POST', `/w/${slug}/v1/webhooks`, { body: input, key })
}

export function updateWebhook(
  slug: string,
  id: string,
  change: Partial<WebhookInput> & { state?: 'active' | 'paused'; from?: 'now' },
): Promise<Webhook> {
  return callForData('PATCH', `/w/${slug}/v1/webhooks/${id}`, { body: change })
}

export function removeWebhook(slug: string, id: string): Promise<unknown> {
  return call('DELETE', `/w/${slug}/v1/webhooks/${id}`)
}

export function rotateSecret(slug: string, id: string, keep_hours: number): Promise<WebhookWithSecret> {
  return callForData('PUT', `/w/${slug}/v1/webhooks/${id}/rotate`, { body: { keep_hours } })
}

/** Sends a test event and returns its delivery, whatever the receiver answered. */
export function sendTest(slug: string, id: string): Promise<Delivery> {
  return callForData('POST', `/w/${slug}/v1/webhooks/${id}/test`, { body: {} })
}

/** Sends events again, and returns how many. */
export async function replay(
  slug: string,
  id: string,
  which: { event_id: string } | { only: 'failed' },
): Promise<number> {
  const { meta } = await call<{ meta: { count: number } }>('POST', `/w/${slug}/v1/webhooks/${id}/replay`, {
    body: which,
  })
  return meta.count
}
