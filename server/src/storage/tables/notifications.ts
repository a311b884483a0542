import type { Reason } from '@kith/contract/notifications'
import type { RecordTenant, Tenant } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'

export type NotificationRow = {
  user_id: string
  id: string
  reason: Reason
  /** The number of the resource of a record, null if it is about something else. */
  resource: number | null
  record_id: string
  comment_id: string | null
  actor_id: string | null
  /** Of how many records. */
  number: number
  detail: string | null
  /** What happened, if it may be noted more than once. */
  event: string | null
  read_at: string | null
  /** When it is looked at to be mailed; null if it never is again. */
  mail_at: string | null
  /** 1 if it waits for a digest. */
  digest: number
  /** How many mails about it the mail server did not take. */
  mail_tries: number
}

/** As it is stored first. */
type NewNotification = Omit<NotificationRow, 'read_at' | 'digest' | 'mail_tries'>

/** With what it is about, and the name of who caused it. */
export type ListedNotification = NotificationRow & {
  record_name: string | null
  comment_body: string | null
  user_name: string | null
  actor_name: string | null
}

/** Those of the users who are members, and stay so until the transaction ends. */
export function lockMembers({ engine, db, workspace }: Tenant, userIds: readonly string[]): Promise<string[]> {
  const locked = engine.concurrentWrites ? 'for key share' : ''
  return sql<string>`select user_id from members where workspace_id = ${workspace.id}
    and user_id ${sql.among(userIds)} order by user_id ${sql.raw(locked)}`.column(db)
}

/**
 * Inserts notifications of members, one for each. Of an event that was noted before, only the number of assigned
 * records grows. Returns the members who have something new.
 */
export function insertNotifications({ db, workspace }: Tenant, rows: readonly NewNotification[]): Promise<string[]> {
  const values = rows.map((row) => {
    const { user_id, id, reason, resource, record_id, comment_id, actor_id, number, detail, event, mail_at } = row
    const about = [resource, record_id, comment_id, actor_id, number, detail, event, mail_at]
    const all = [workspace.id, user_id, id, reason, ...about]
    return sql`(${sql.join(all.map((value) => sql`${value}`))})`
  })
  return sql<string>`insert into notifications
      (workspace_id, user_id, id, reason, resource, record_id, comment_id, actor_id, number, detail, event, mail_at)
    values ${sql.join(values)}
    on conflict (workspace_id, event, user_id) where event is not null
    do update set number = notifications.number + excluded.number, read_at = null where excluded.reason = 'assigned'
    returning user_id`.column(db)
}

/**
 * Whether its record is live, of a resource that is not archived, and its comment is not deleted. PostgreSQL would read
 * all comments at once for an `exists`.
 */
function isOpen({ workspace, schema }: RecordTenant): Sql<SqlBool> {
  const numbers = sql.join([...schema.values()].map(({ number }) => sql.lit(number)))
  return sql`(n.resource is null or (select 1 from records r where r.workspace = ${workspace.number}
    and r.resource = n.resource and r.id = n.record_id and r.deleted_at is null and n.resource in (${numbers})) = 1)
    and (n.comment_id is null or (select 1 from comments d where d.workspace_id = n.workspace_id
      and d.id = n.comment_id and d.deleted_at is null) = 1)`
}

type Asked = { user_id: string; unread: boolean; before: string | undefined; limit: number }

/** The notifications of a member before an id, latest first. */
export function loadNotifications(
  scope: RecordTenant,
  { user_id, unread, before, limit }: Asked,
): Promise<ListedNotification[]> {
  const state = unread ? sql`and n.read_at is null` : sql``
  const earlier = before === undefined ? sql`` : sql`and n.id < ${before}`
  return listed(scope, user_id, sql`${state} ${earlier} order by n.id desc limit ${sql.unseen(limit)}`).all(scope.db)
}

export function findNotification(
  scope: RecordTenant,
  user_id: string,
  id: string,
): Promise<ListedNotification | undefined> {
  return listed(scope, user_id, sql`and n.id = ${id}`).one(scope.db)
}

/** Those that a member may see. */
export function listed(scope: RecordTenant, user_id: string, which: Sql<unknown>): Sql<ListedNotification> {
  const { id, number } = scope.workspace
  return sql<ListedNotification>`select n.*, x.name as record_name, c.body as comment_body, u.name as user_name,
      a.name as actor_name
    from notifications n
    left join records x on x.workspace = ${number} and x.resource = n.resource and x.id = n.record_id
    left join comments c on c.workspace_id = n.workspace_id and c.id = n.comment_id
    left join users u on n.reason = 'joined' and u.id = n.record_id
    left join users a on a.id = n.actor_id
    where n.workspace_id = ${id} and n.user_id = ${user_id} and ${isOpen(scope)} ${which}`
}

export async function replaceRead(
  { db, workspace }: Tenant,
  { user_id, id, read_at }: Pick<NotificationRow, 'user_id' | 'id' | 'read_at'>,
): Promise<void> {
  await sql`update notifications set read_at = ${read_at}
    where workspace_id = ${workspace.id} and user_id = ${user_id} and id = ${id}`.run(db)
}

/** Marks all that a member has not read up to an id. Returns their number. */
export function markRead(
  inside: RecordTenant,
  { user_id, until, at }: { user_id: string; until: string; at: string },
): Promise<number> {
  return sql`update notifications as n set read_at = ${at} where n.workspace_id = ${inside.workspace.id}
    and n.user_id = ${user_id} and n.read_at is null and n.id <= ${until} and ${isOpen(inside)}`.run(inside.db)
}

/** The notifications about some records. */
export async function loadNotificationsOf(
  { db, workspace }: Tenant,
  recordIds: readonly string[],
): Promise<{ id: string; record_id: string }[]> {
  return sql<{ id: string; record_id: string }>`select id, record_id from notifications
    where workspace_id = ${workspace.id} and record_id ${sql.among(recordIds)} order by record_id, id`.all(db)
}

/** Makes the notifications about some records those about another one. */
export async function moveNotifications(
  { db, workspace }: Tenant,
  recordIds: readonly string[],
  to: string,
): Promise<void> {
  await sql`update notifications set record_id = ${to}
    where workspace_id = ${workspace.id} and record_id ${sql.among(recordIds)}`.run(db)
}

/** Moves back those that a merge has moved to its winner. */
export async function moveNotificationsBack(
  { db, workspace }: Tenant,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<void> {
  const moves = sql`from merge_moves m where m.workspace_id = ${workspace.id} and m.merge_id = ${merge_id}
    and m.resource = 'notifications'`
  await sql`update notifications set record_id = (select m.from_id ${moves} and m.record_id = notifications.id)
    where workspace_id = ${workspace.id} and record_id = ${winner_id} and id in (select m.record_id ${moves})`.run(db)
}

export function findSettings({ db, workspace }: Tenant, userId: string): Promise<string | undefined> {
  return sql<string>`select settings from notification_settings
    where workspace_id = ${workspace.id} and user_id = ${userId}`.value(db)
}

export async function replaceSettings({ db, workspace }: Tenant, userId: string, settings: string): Promise<void> {
  await sql`insert into notification_settings (workspace_id, user_id, settings)
    values (${workspace.id}, ${userId}, ${settings})
    on conflict (workspace_id, user_id) do update set settings = excluded.settings`.run(db)
}
