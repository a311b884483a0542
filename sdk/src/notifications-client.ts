import type {
  NotificationObject,
  NotificationSettings,
  notificationChanges,
  notificationSettings,
  notificationsRead,
} from '@kith/contract/notifications'
import type { Sent } from '@kith/contract/shape'
import { deleting, documentOf, reading, updating } from './calls.ts'
import type { CallOptions, WriteOptions } from './list-query.ts'
import type { HistoryPage } from './merge-documents.ts'
import { recordsOf, scanByCursor } from './pages.ts'
import type { Connection } from './transport.ts'

type NotificationPage = Omit<HistoryPage, 'data'> & { data: NotificationObject[] }
type NotificationQuery = CallOptions & { readonly unread?: boolean | undefined; readonly per_page?: number | undefined }
type SettingsDocument = { readonly data: { type: 'notification_settings'; attributes: NotificationSettings } }
type Following = Promise<{ readonly meta: { readonly following: boolean } }>

/** The inbox of the token's user. */
export type NotificationsClient = {
  /** One page, the latest first. */
  list(query?: NotificationQuery & { readonly cursor?: string | undefined }): Promise<NotificationPage>
  /** Every notification, page after page. */
  all(query?: NotificationQuery): AsyncGenerator<NotificationObject, void, undefined>
  /** Marks one as read or unread. */
  update(
    id: string,
    input: Sent<typeof notificationChanges>,
    options?: WriteOptions,
  ): Promise<{ readonly data: NotificationObject }>
  /** Marks all as read up to this one, by its ID or its time. `meta.count`: how many of them were unread. */
  markRead(
    input: Sent<typeof notificationsRead>,
    options?: WriteOptions,
  ): Promise<{ readonly meta: { readonly count: number } }>
  /** By the reason: mail at once, in a daily digest, or none. */
  settings(options?: CallOptions): Promise<SettingsDocument>
  /** Absent reasons stay as they are. */
  updateSettings(input: Sent<typeof notificationSettings>, options?: WriteOptions): Promise<SettingsDocument>
}

/** Whether the token's user learns what happens on a record. */
export type FollowClient = {
  following(id: string, options?: CallOptions): Following
  follow(id: string, options?: WriteOptions): Following
  unfollow(id: string, options?: WriteOptions): Following
}

export function notificationsClient(connection: Connection): NotificationsClient {
  const root = '/notifications'
  const list: NotificationsClient['list'] = (asked = {}) => documentOf(connection, reading(root, asked))
  const update = <T>(path: string, input: object, options: WriteOptions = {}) =>
    documentOf<T>(connection, updating(`${root}/${path}`, input, options))
  return {
    list,
    all: (asked = {}) => recordsOf(scanByCursor(asked, list)),
    update: (id, input, options) => update(encodeURIComponent(id), input, options),
    markRead: (input, options) => update('read', input, options),
    settings: (asked = {}) => documentOf(connection, reading(`${root}/settings`, asked)),
    updateSettings: (input, options) => update('settings', input, options),
  }
}

export function followClient(connection: Connection, resource: string): FollowClient {
  const pathOf = (id: string) => `/${resource}/${encodeURIComponent(id)}/follow`
  return {
    following: (id, asked = {}) => documentOf(connection, reading(pathOf(id), asked)),
    follow: (id, options = {}) => documentOf(connection, updating(pathOf(id), {}, options)),
    unfollow: (id, options = {}) => documentOf(connection, deleting(pathOf(id), options)),
  }
}
