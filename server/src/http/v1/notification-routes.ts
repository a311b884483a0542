import { NOTIFICATION_DAYS } from '@kith/contract/limits'
import { type OperationText, success, written } from '../openapi/schema.ts'
import { always, own, read, type V1Route } from './record-routes.ts'

/** The inbox of the user. What they follow is below the records. */
export function notificationRoutes(): V1Route[] {
  const [all, settings] = ['/notifications', '/notifications/settings']
  const change = { ...own, abilities: ['update'] } as const
  return [
    { method: 'GET', path: all, handler: 'notifications', ...read },
    { method: 'PUT', path: `${all}/read`, handler: 'read-notifications', ...change },
    { method: 'GET', path: settings, handler: 'notification-settings', ...read, lane: always('short') },
    { method: 'PUT', path: settings, handler: 'update-notification-settings', ...change },
    { method: 'PUT', path: `${all}/:id`, handler: 'update-notification', ...change },
  ]
}

export const notificationTexts = {
  notifications: {
    operationId: 'listNotifications',
    summary: 'List notifications',
    says: `The notifications of the token's user, latest first. They are kept for ${NOTIFICATION_DAYS} days. Those about deleted records are not shown until the record is restored.`,
    parameters: ['Unread', 'Cursor', 'PerPage'],
    answers: { 200: success('A page of notifications.', 'NotificationList') },
  },
  'update-notification': {
    operationId: 'updateNotification',
    summary: 'Mark a notification as read or unread',
    says: 'Every role can do it. The attributes of a notification can be sent back as they were read.',
    body: 'NotificationUpdate',
    answers: { 200: written('The notification.', 'NotificationDocument') },
  },
  'read-notifications': {
    operationId: 'readNotifications',
    summary: 'Mark notifications as read',
    says: 'Marks all notifications as read up to one, by its ID or its time, inclusive. What arrives meanwhile stays unread. Every role can do it.',
    body: 'NotificationsRead',
    answers: { 200: written('How many were unread.', 'NotificationsCount') },
  },
  'notification-settings': {
    operationId: 'readNotificationSettings',
    summary: 'Read the notification settings',
    says: 'For which reasons the user wants mail: `at_once`, in a daily `digest`, or `none`. The inbox has all notifications. Mail is only sent if the installation has a mail server.',
    answers: { 200: success('The settings.', 'NotificationSettings') },
  },
  'update-notification-settings': {
    operationId: 'updateNotificationSettings',
    summary: 'Change the notification settings',
    says: 'Reasons that are absent from the body stay as they are. Every role can do it.',
    body: 'NotificationSettingsUpdate',
    answers: { 200: written('The settings.', 'NotificationSettings') },
  },
} satisfies Record<string, OperationText>
