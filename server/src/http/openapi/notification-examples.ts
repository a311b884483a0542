import { usualSettings } from '@kith/contract/notifications'
import type { Schema } from '@kith/contract/shape'
import { sampleIds, sampleTime } from './sample-records.ts'

const assigned = {
  id: '01kb8w4d5e6f7g8h9j0k1m2n3r',
  type: 'notifications',
  attributes: {
    reason: 'assigned',
    resource: 'tasks',
    record_id: sampleIds.tasks,
    actor_id: sampleIds.users,
    text: 'Ada Byron assigned the task Send the offer to you.',
    read_at: null,
    created_at: sampleTime,
  },
} as const

const settings = { data: { type: 'notification_settings', attributes: usualSettings } }

/** What members follow, and their inbox. `cursorPage`: the links and numbers of a list below a path. */
export function notificationExamples(cursorPage: (path: string) => object): Record<string, Schema> {
  const read = { ...assigned, attributes: { ...assigned.attributes, read_at: sampleTime } }
  return {
    Follow: { summary: 'It is followed', value: { meta: { following: true } } },
    NotificationList: { summary: 'A task', value: { data: [assigned], ...cursorPage('notifications') } },
    NotificationDocument: { summary: 'It is read', value: { data: read } },
    NotificationUpdate: { summary: 'Mark it as read', value: { read: true } },
    NotificationsRead: { summary: 'Up to this one', value: { until: assigned.id } },
    NotificationsCount: { summary: 'Three were unread', value: { meta: { count: 3 } } },
    NotificationSettings: { summary: 'As they are for a new member', value: settings },
    NotificationSettingsUpdate: { summary: 'No mail about comments', value: { commented: 'none' } },
  }
}
