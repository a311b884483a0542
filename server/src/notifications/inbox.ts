import { reportUnknown } from '@kith/contract/answer-options'
import type { InboxItem } from '@kith/contract/app/inbox'
import { mentionsIn } from '@kith/contract/comment'
import { firstIdAt, momentOf, parseId } from '@kith/contract/id'
import { boundedReport, type Issue, type Report } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT } from '@kith/contract/limits'
import { parseIdPage } from '@kith/contract/list-query'
import {
  type NotificationObject,
  type NotificationSettings,
  notification,
  notificationChanges,
  notificationSettings,
  notificationsRead,
  reasons,
  usualSettings,
} from '@kith/contract/notifications'
import { parseWord } from '@kith/contract/parse-word'
import { parseOrRefuse, refuse, refuseIfAny, refuseUnknownId } from '@kith/contract/refusal'
import { readObject, readSent, shownOf } from '@kith/contract/shape'
import { requireGranted } from '../scope/permissions.ts'
import { inSnapshot, inTransaction, type Scope, type Tenancy } from '../scope/scope.ts'
import { loadMemberNames } from '../storage/tables/members.ts'
import {
  findNotification,
  findSettings,
  type ListedNotification,
  loadNotifications,
  lockMembers,
  markRead,
  replaceRead,
  replaceSettings,
} from '../storage/tables/notifications.ts'
import { noteNews } from './notify.ts'
import { sentenceOf, subjectOf } from './text.ts'

type Listed<One> = { data: One[]; per_page: number; next_cursor: string | null; prev_cursor: null }

type Asked = { raw: Readonly<Record<string, unknown>>; issues: readonly Issue[] }

/** The notifications of the user, latest first. */
export function listNotifications(scope: Scope, asked: Asked): Promise<Listed<NotificationObject>> {
  return loadPage(scope, asked, presentAll)
}

/** The same with the comments that they are about, for the application. */
export function listInbox(scope: Scope, asked: Asked): Promise<Listed<InboxItem>> {
  return loadPage(scope, asked, async (inside, rows) => {
    const shown = await presentAll(inside, rows)
    return shown.map((one, index) => ({ ...one, comment_id: rows[index]?.comment_id ?? null }))
  })
}

async function loadPage<One>(
  scope: Scope,
  { raw, issues }: Asked,
  present: (inside: Scope, rows: readonly ListedNotification[]) => Promise<One[]>,
): Promise<Listed<One>> {
  requireGranted(scope, ['read'])
  const {
    per_page = PER_PAGE_DEFAULT,
    place: before,
    unread,
  } = parseOrRefuse(issues, (report) => parseAsked(raw, report))
  return inSnapshot(scope, async (inside) => {
    const { user_id } = inside.actor
    const found = await loadNotifications(inside, { user_id, unread, before, limit: per_page + 1 })
    const shown = found.slice(0, per_page)
    const next_cursor = found.length > per_page ? (shown.at(-1)?.id ?? null) : null
    return { data: await present(inside, shown), per_page, next_cursor, prev_cursor: null }
  })
}

function parseAsked(raw: Readonly<Record<string, unknown>>, report: Report) {
  reportUnknown(raw, ['unread', 'cursor', 'per_page'], boundedReport(report))
  return {
    unread: parseWord(raw.unread, { name: 'unread', words: ['true', 'false'] }, report) === 'true',
    ...parseIdPage(raw, report),
  }
}

async function presentAll(scope: Scope, rows: readonly ListedNotification[]): Promise<NotificationObject[]> {
  const { schema } = scope
  const mentioned = rows.flatMap(({ comment_body }) => mentionsIn(comment_body ?? '').ids)
  const names = new Map((await loadMemberNames(scope, [...new Set(mentioned)])).map(({ id, name }) => [id, name]))
  return rows.map((row) => {
    const { id, reason, record_id, actor_id, read_at } = row
    const told = { resource: subjectOf(row, schema), text: sentenceOf(row, { schema, names }) }
    const attributes = { reason, record_id, actor_id, read_at, ...told, created_at: momentOf(id) }
    return { id, type: 'notifications', attributes: shownOf(notification, attributes) }
  })
}

async function present(scope: Scope, row: ListedNotification): Promise<NotificationObject> {
  const [shown] = await presentAll(scope, [row])
  if (!shown) throw new Error('A notification is not shown.')
  return shown
}

/** Marks one notification as read, or as not read. */
export function updateNotification(
  scope: Scope,
  { id: sent, body, issues }: { id: string; body: unknown; issues: readonly Issue[] },
): Promise<NotificationObject> {
  requireGranted(scope, ['update'])
  return inTransaction(scope, async (inside) => {
    const { user_id } = inside.actor
    const row = await findNotification(inside, user_id, parseId(sent) ?? '')
    if (!row) return refuseUnknownId('notification', sent)
    const ignored = Object.keys(notification)
    const wanted = parseOrRefuse(issues, (report) => readSent(body, notificationChanges, report, { ignored }))
    const { read = row.read_at !== null } = wanted
    if (read === (row.read_at !== null)) return present(inside, row)
    const read_at = read ? inside.now().toISOString() : null
    await replaceRead(inside, { user_id, id: row.id, read_at })
    await noteNews(inside, [user_id])
    return present(inside, { ...row, read_at })
  })
}

/** Marks everything as read up to a notification or a time, both inclusive. Returns how many were not read. */
export function readNotifications(
  scope: Scope,
  { body, issues }: { body: unknown; issues: readonly Issue[] },
): Promise<{ count: number }> {
  requireGranted(scope, ['update'])
  const { until } = parseOrRefuse(issues, (report) => readObject(body, notificationsRead, report))
  return inTransaction(scope, async (inside) => {
    const { user_id } = inside.actor
    // Above every id of that time.
    const last = parseId(until) ?? firstIdAt(Date.parse(until) + 1)
    const count = await markRead(inside, { user_id, until: last, at: inside.now().toISOString() })
    if (count > 0) await noteNews(inside, [user_id])
    return { count }
  })
}

type SettingsDocument = { type: 'notification_settings'; attributes: NotificationSettings }

export async function readSettings(scope: Scope, issues: readonly Issue[]): Promise<SettingsDocument> {
  requireGranted(scope, ['read'])
  refuseIfAny([...issues])
  return { type: 'notification_settings', attributes: await settingsOf(scope) }
}

/** How the acting member wants mail. */
export async function settingsOf(scope: Tenancy): Promise<NotificationSettings> {
  const stored = await findSettings(scope, scope.actor.user_id)
  return { ...usualSettings, ...(stored === undefined ? {} : JSON.parse(stored)) }
}

/** Changes the settings that are sent. */
export function updateSettings(
  scope: Scope,
  { body, issues }: { body: unknown; issues: readonly Issue[] },
): Promise<SettingsDocument> {
  requireGranted(scope, ['update'])
  const sent = parseOrRefuse(issues, (report) => readSent(body, notificationSettings, report))
  return inTransaction(scope, async (inside) => {
    const { user_id } = inside.actor
    await inside.engine.lock(inside.db, [`notification settings ${inside.workspace.id} ${user_id}`])
    const isMember = (await lockMembers(inside, [user_id])).length > 0
    if (!isMember) refuse({ kind: 'forbidden', message: 'You are no longer a member of the workspace.' })
    const before = await settingsOf(inside)
    const attributes = Object.fromEntries(reasons.map((reason) => [reason, sent[reason] ?? before[reason]]))
    await replaceSettings(inside, user_id, JSON.stringify(attributes))
    // The keys are all reasons.
    return { type: 'notification_settings', attributes: attributes as NotificationSettings }
  })
}
