import { jsonIn, optionalJsonIn, type V1Handler } from '../../calls/call.ts'
import {
  listNotifications,
  readNotifications,
  readSettings,
  updateNotification,
  updateSettings,
} from '../../notifications/inbox.ts'
import { readFollow, replaceFollowing } from '../../records/follows.ts'
import { answerDocument, answerScan, askedInQuery, nothingIn, resourceOf } from './requests.ts'

/** What members follow, and their inbox. */
export const notificationHandlers = {
  follow: async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    const following = await readFollow(scope, resourceOf(scope, request), { id: request.id, issues })
    return answerDocument(200, { meta: { following } })
  },
  'start-follow': following(true),
  'end-follow': following(false),
  notifications: async (scope, request) => {
    const asked = askedInQuery(request)
    return answerScan(await listNotifications(scope, asked), { path: request.path, parameters: asked.raw })
  },
  'update-notification': async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    const sent = { id: request.id, body: optionalJsonIn(request.body), issues }
    return answerDocument(200, { data: await updateNotification(scope, sent) })
  },
  'read-notifications': async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    return answerDocument(200, { meta: await readNotifications(scope, { body: jsonIn(request.body), issues }) })
  },
  'notification-settings': async (scope, request) => {
    return answerDocument(200, { data: await readSettings(scope, askedInQuery(request, true).issues) })
  },
  'update-notification-settings': async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    return answerDocument(200, { data: await updateSettings(scope, { body: optionalJsonIn(request.body), issues }) })
  },
} satisfies Record<string, V1Handler>

function following(wanted: boolean): V1Handler {
  return async (scope, request) => {
    const sent = { id: request.id, issues: nothingIn(request), following: wanted }
    return answerDocument(200, { meta: { following: await replaceFollowing(scope, resourceOf(scope, request), sent) } })
  }
}
