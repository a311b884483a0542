import type { Engine, RecordTenant, Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import type { LeasedTable } from './leases.ts'
import { type ListedNotification, listed } from './notifications.ts'

/** How long a notification waits for others about the same record, before they are mailed. */
const TOGETHER_MS = 5 * 60_000

/** When a new notification is looked at to be mailed. Others than those about records never become one mail. */
export function firstLook(resource: number | null, now: Date): string {
  return new Date(now.getTime() + (resource === null ? 0 : TOGETHER_MS)).toISOString()
}

/** A member with notifications that may have to be mailed. It is worked on by one node at a time. */
export type MailboxRow = { workspace_id: string; id: string }

export const mailboxLeases: LeasedTable = { name: 'mailboxes', isOpen: sql`w.id is not null`, at_once: 10 }

const OPENED_AT_ONCE = 500

/** Adds the members with notifications whose time has come. Returns how many. */
export async function openMailboxes(engine: Engine, at: Date): Promise<number> {
  const due = sql`select distinct d.workspace_id, d.user_id from (
      select n.workspace_id, n.user_id from notifications n where n.mail_at <= ${at.toISOString()}
      order by n.mail_at limit ${sql.lit(OPENED_AT_ONCE)}) d
    where not exists (select 1 from mailboxes b where b.workspace_id = d.workspace_id and b.id = d.user_id)`
  if (!(await due.exists(engine.db))) return 0
  return sql`insert into mailboxes (workspace_id, id) ${due} on conflict (workspace_id, id) do nothing`.run(
    engine.single,
  )
}

/** Nothing more is to be mailed now. */
export async function closeMailbox(engine: Engine, { workspace_id, id }: MailboxRow, by: string): Promise<void> {
  await sql`delete from mailboxes where workspace_id = ${workspace_id} and id = ${id} and leased_by = ${by}`.run(
    engine.single,
  )
}

/** Whether a node still works on the mailbox. It does so until the transaction ends. */
export function holdMailbox({ engine, db, workspace }: Tenant, id: string, by: string): Promise<boolean> {
  const locked = sql.raw(engine.concurrentWrites ? 'for update' : '')
  return sql`select id from mailboxes where workspace_id = ${workspace.id} and id = ${id} and leased_by = ${by}
    ${locked}`.exists(db)
}

/** How many notifications of a member are looked at together. */
export const UNMAILED_AT_ONCE = 1000

/** What may have to be mailed to a member and is in their inbox, what is due first. */
export function loadUnmailed(inside: RecordTenant, user_id: string): Promise<ListedNotification[]> {
  const which = sql`and n.mail_at is not null and n.read_at is null
    order by n.mail_at, n.id limit ${sql.lit(UNMAILED_AT_ONCE)}`
  return listed(inside, user_id, which).all(inside.db)
}

/** Notifications of a member. */
type Some = { workspace_id: string; user_id: string; ids: readonly string[] }

/**
 * Takes notifications: they are looked at never again. `others`: and what else is due, which the member may not see any
 * more or has read.
 */
export async function takeUnmailed(
  { db, workspace }: Tenant,
  { user_id, ids, others, at }: Omit<Some, 'workspace_id'> & { others: boolean; at: string },
): Promise<void> {
  const due = others ? sql`or mail_at <= ${at}` : sql``
  await sql`update notifications set mail_at = null where workspace_id = ${workspace.id} and user_id = ${user_id}
    and mail_at is not null and (id ${sql.among(ids)} ${due})`.run(db)
}

/** Leaves notifications to the daily digest. */
export async function leaveToDigest(db: Tenant['db'], { workspace_id, user_id, ids }: Some, at: string): Promise<void> {
  await sql`update notifications set digest = 1, mail_at = ${at}
    where workspace_id = ${workspace_id} and user_id = ${user_id} and id ${sql.among(ids)}`.run(db)
}

/** Gives back what was taken and not sent, so that it is sent later. */
export async function giveBack(
  { single }: Engine,
  { workspace_id, user_id, ids }: Some,
  { at, tries }: { at: string; tries: number },
): Promise<void> {
  await sql`update notifications set mail_at = ${at}, mail_tries = ${tries}
    where workspace_id = ${workspace_id} and user_id = ${user_id} and id ${sql.among(ids)}`.run(single)
}

/** Looks at what is due for a member later, or never. */
export async function postpone(
  { single }: Engine,
  { workspace_id, id }: MailboxRow,
  { at, until }: { at: string; until: string | null },
): Promise<void> {
  await sql`update notifications set mail_at = ${until}
    where workspace_id = ${workspace_id} and user_id = ${id} and mail_at <= ${at}`.run(single)
}
