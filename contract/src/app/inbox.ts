import type { NotificationObject } from '../notifications.ts'

/** A row of `GET /inbox`: a notification, and the comment that it is about. */
export type InboxItem = NotificationObject & { comment_id: string | null }
