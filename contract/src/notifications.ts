import { parseId } from './id.ts'
import { PER_PAGE_MAX } from './limits.ts'
import { MOMENT_FORMS, parseMoment } from './moment.ts'
import * as is from './shape.ts'

/** Why a member is notified. Of one event, each person gets the first of these that fits. */
export const reasons = ['mentioned', 'replied', 'assigned', 'commented', 'due', 'import', 'webhook', 'joined'] as const
export type Reason = (typeof reasons)[number]

/** The reasons for readers: their names, and when they hold. */
export const reasonWords: Readonly<Record<Reason, readonly [name: string, when: string]>> = {
  mentioned: ['Mentions', 'A comment mentions you.'],
  replied: ['Replies', 'Someone replies to a comment of yours.'],
  assigned: ['Assignments', 'A task or a record is assigned to you.'],
  commented: ['Comments', 'Someone comments on a record that you follow.'],
  due: ['Due tasks', 'A task of yours is due.'],
  import: ['Imports', 'An import of yours has ended.'],
  webhook: ['Webhooks', 'A webhook of yours fails.'],
  joined: ['New members', 'Someone joins the workspace.'],
}

/** What a notification is about, if it is not a record: by its reason. */
export const subjects: Readonly<Partial<Record<Reason, string>>> = {
  import: 'jobs',
  webhook: 'webhooks',
  joined: 'users',
}

export const notification = {
  reason: is.word(reasons),
  resource: is.text({ says: 'The resource of the record, or `jobs`, `webhooks`, `users`.' }),
  record_id: is.id('Of several records that were assigned together, the first one.'),
  actor_id: is.orNull(is.id(), 'Who caused it. Null for the service itself and the command line.'),
  text: is.text({ says: 'What happened, in a sentence.' }),
  read_at: is.orNull(is.time()),
  created_at: is.time(),
} as const

type Notification = is.Shown<typeof notification>

export type NotificationObject = { id: string; type: 'notifications'; attributes: Notification }

export const notificationChanges = { read: is.flag('Whether it counts as read.') } as const

/** An id of a notification, or a time. */
const until = is.checked(
  { type: 'string' },
  (raw) => (typeof raw === 'string' ? (parseId(raw) ?? parseMoment(raw)) : undefined),
  `must be the ID of a notification, ${MOMENT_FORMS}.`,
  '',
)

export const notificationsRead = {
  until: { ...until, schema: is.withMore(until.schema, { says: 'The ID or the time of the last one. Inclusive.' }) },
} as const

/** How a member wants mail about notifications with a reason. */
const mailModes = ['at_once', 'digest', 'none'] as const
type MailMode = (typeof mailModes)[number]

const mode = is.word(mailModes)

/** How members want mail, by the reason. A change sends some of them. */
export const notificationSettings = Object.fromEntries(
  reasons.map((reason) => [reason, is.maybe(mode)]),
  // The keys are the reasons.
) as Record<Reason, ReturnType<typeof is.maybe<MailMode>>>

export type NotificationSettings = Record<Reason, MailMode>

/**
 * What concerns a member alone comes at once. Failing webhooks have a mail of their own, and who imports waits for the
 * end.
 */
export const usualSettings: NotificationSettings = {
  mentioned: 'at_once',
  replied: 'at_once',
  assigned: 'at_once',
  commented: 'digest',
  due: 'at_once',
  import: 'none',
  webhook: 'none',
  joined: 'digest',
}

const shownSettings = Object.fromEntries(reasons.map((reason) => [reason, mode]))

export const notificationComponents = {
  Follow: is.closed({ meta: is.shownSchema({ following: is.flag('Whether the user follows the record.') }) }),
  ...is.noun('Notification', 'notifications', { shown: notification, also: ['Document'] }),
  NotificationList: is.closed({
    data: is.listSchema('Notification', PER_PAGE_MAX),
    links: is.named('CursorLinks'),
    meta: is.named('CursorMeta'),
  }),
  NotificationUpdate: is.sentSchema(notificationChanges),
  NotificationsRead: is.sentSchema(notificationsRead),
  NotificationsCount: is.closed({ meta: is.shownSchema({ count: is.whole({ says: 'How many are read now.' }) }) }),
  NotificationSettings: is.closed({
    data: is.closed({ type: is.word(['notification_settings']).schema, attributes: is.shownSchema(shownSettings) }),
  }),
  NotificationSettingsUpdate: is.sentSchema(notificationSettings),
}
