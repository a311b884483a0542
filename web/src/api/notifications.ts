import type { InboxItem } from '@kith/contract/app/inbox'
import type { Unsubscription } from '@kith/contract/app/unsubscription'
import type { NotificationSettings } from '@kith/contract/notifications'
import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { showToast } from '../components/toast-store.ts'
import { call, callForData, dataQuery, searchOf } from './call.ts'
import { type ApiRecord, activityKey } from './records.ts'
import { type InboxPage, inboxKey } from './unread.ts'

/** The notifications of the user, the latest first, page by page. */
export function inboxQuery(slug: string, unread: boolean) {
  return infiniteQueryOptions({
    queryKey: [...inboxKey(slug), 'list', unread],
    queryFn: ({ pageParam: cursor, signal }) => {
      const search = searchOf({ unread: unread ? 'true' : undefined, per_page: 50, cursor })
      return call<InboxPage>('GET', `/w/${slug}/inbox${search}`, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next_cursor ?? undefined,
  })
}

/** Marks a notification as read or unread. It is shown at once. */
export function markRead(queries: QueryClient, slug: string, { id }: InboxItem, read: boolean): Promise<void> {
  patch(queries, slug, (item) => item.id === id, read)
  return settle(queries, slug, call('PUT', `/w/${slug}/v1/notifications/${id}`, { body: { read } }))
}

/** Marks everything as read up to a notification. What arrives meanwhile stays unread. */
export function markAllRead(queries: QueryClient, slug: string, { id: until }: InboxItem): Promise<void> {
  patch(queries, slug, (item) => item.id <= until, true)
  return settle(queries, slug, call('PUT', `/w/${slug}/v1/notifications/read`, { body: { until } }))
}

function patch(queries: QueryClient, slug: string, isMeant: (item: InboxItem) => boolean, read: boolean): void {
  const read_at = read ? new Date().toISOString() : null
  const inPage = (page: InboxPage): InboxPage => {
    const marked = (item: InboxItem) => ({ ...item, attributes: { ...item.attributes, read_at } })
    return { ...page, data: page.data.map((item) => (isMeant(item) ? marked(item) : item)) }
  }
  queries.setQueriesData<InboxPage | InfiniteData<InboxPage>>({ queryKey: inboxKey(slug) }, (known) => {
    if (!known) return known
    return 'pages' in known ? { ...known, pages: known.pages.map(inPage) } : inPage(known)
  })
}

async function settle(queries: QueryClient, slug: string, done: Promise<unknown>): Promise<void> {
  await done.catch(tellFailure)
  await queries.invalidateQueries({ queryKey: inboxKey(slug) })
}

function tellFailure({ message }: Error): void {
  showToast({ tone: 'danger', message })
}

export function notificationSettingsQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'notification settings'],
    queryFn: async ({ signal }) => {
      const path = `/w/${slug}/v1/notifications/settings`
      return (await callForData<{ attributes: NotificationSettings }>('GET', path, { signal })).attributes
    },
  })
}

export function updateNotificationSettings(slug: string, body: Partial<NotificationSettings>): Promise<unknown> {
  return call('PUT', `/w/${slug}/v1/notifications/settings`, { body })
}

type Follow = { meta: { following: boolean } }

/** Whether the user follows a record. A comment or an assignment can change it, as they change its activity. */
export function followQuery(slug: string, { type, id }: ApiRecord) {
  return queryOptions({
    queryKey: [...activityKey(slug), type, id, 'follow'],
    queryFn: ({ signal }) => call<Follow>('GET', `/w/${slug}/v1/${type}/${id}/follow`, { signal }),
  })
}

/** Follows a record or ends it. It is shown at once. */
export async function follow(queries: QueryClient, slug: string, record: ApiRecord, following: boolean): Promise<void> {
  const { queryKey } = followQuery(slug, record)
  await queries.cancelQueries({ queryKey })
  queries.setQueryData(queryKey, { meta: { following } })
  await call(following ? 'PUT' : 'DELETE', `/w/${slug}/v1/${record.type}/${record.id}/follow`).catch(tellFailure)
  await queries.invalidateQueries({ queryKey })
}

/** What the link of a mail ends. */
export function unsubscriptionQuery(token: string) {
  return dataQuery<Unsubscription>(['unsubscription', token], `/unsubscribe/${encodeURIComponent(token)}`)
}

export function unsubscribe(token: string): Promise<Unsubscription> {
  return callForData('POST', `/unsubscribe/${encodeURIComponent(token)}`, { body: {} })
}
