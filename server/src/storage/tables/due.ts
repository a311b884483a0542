import { leadTimes } from '@kith/contract/app/task-plan'
import { registry } from '@kith/contract/registry'
import type { Db, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** A task whose due date has come, or of which a member is to be reminded, without a notification so far. */
export type DueRow = {
  workspace_id: string
  workspace: number
  id: string
  creator_id: string | null
  due_at: string
  custom_fields: string
  /** What happens when this time comes: once for each of them and each member. */
  event: string
  /** The member whose reminder it is, empty if it is none. Minutes are null at a chosen time. */
  user_id: string
  minutes_before: number | null
}

type Period = { since: string; until: string }

/** What comes at a time: tasks that are due, or reminders of members. */
export type Coming = 'tasks' | 'reminders'

/** Some of what came in a period, in all workspaces, after one of it. The first come first. */
export function findDue(db: Db, what: Coming, period: Period, after?: DueRow): Promise<DueRow[]> {
  const rest = after ? sql`and (d.due_at, d.id, d.user_id) > (${after.due_at}, ${after.id}, ${after.user_id})` : sql``
  return sql<DueRow>`${coming[what](period)} ${rest} order by d.due_at, d.id, d.user_id
    limit ${sql.lit(DUE_AT_ONCE)}`.all(db)
}

const DUE_AT_ONCE = 500

/** What of some tasks of a workspace came in a period, as they are now. */
export function loadDue(
  { db, workspace }: Tenant,
  what: Coming,
  { ids, ...period }: Period & { ids: readonly string[] },
): Promise<DueRow[]> {
  return sql<DueRow>`${coming[what](period)} and d.workspace_id = ${workspace.id} and d.id ${sql.among(ids)}
    order by d.id, d.user_id`.all(db)
}

/** The tasks of open workspaces with their due dates. */
const dated = sql`from workspaces w
    join custom_fields f on f.workspace_id = w.id and f.entity_type = 'tasks' and f.code = 'due_date' and f.system = 1
      and f.deleted_at is null
    join field_values v on v.workspace = w.number and v.field = f.number`

const taskOf = (id: Sql<unknown>) => sql`join records r on r.workspace = w.number and ${id}
      and r.resource = ${sql.lit(registry.tasks.number)} and r.deleted_at is null`

const aboutTask = sql`w.id as workspace_id, w.number as workspace, r.id, r.creator_id, r.custom_fields`

/** Tasks that became due, and of which there is no notification. */
function due({ since, until }: Period): Sql<unknown> {
  return sql`select d.* from (
      select ${aboutTask}, '' as user_id, v.match_key as due_at, null as minutes_before,
        'due ' || r.id || ' ' || v.match_key as event
      ${dated} and v.match_key > ${since} and v.match_key <= ${until} ${taskOf(sql`r.number = v.record`)}
      where w.slug < '~') d
    where not exists (select 1 from notifications n where n.workspace_id = d.workspace_id and n.event = d.event)`
}

/**
 * Reminders: those at each time before a due date, and at chosen times. Who was told at the due date, as all assignees
 * are, is not told again. The tasks of the period come first: SQLite keeps the order of a cross join.
 */
function reminders({ since, until }: Period): Sql<unknown> {
  const later = (at: string, minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString()
  const before = leadTimes.map(
    (minutes) => sql`select ${aboutTask}, m.user_id, v.match_key as due_at, m.minutes_before,
      'remind ' || r.id || ' ' || v.match_key || ' ' || m.minutes_before as event
    ${dated} and v.match_key > ${later(since, minutes)} and v.match_key <= ${later(until, minutes)}
      ${taskOf(sql`r.number = v.record`)}
    cross join reminders m
    where w.slug < '~' and m.workspace_id = w.id and m.record_id = r.id and v.match_key > m.due_after
      and m.minutes_before = ${sql.lit(minutes)}`,
  )
  const chosen = sql`select ${aboutTask}, m.user_id, m.remind_at as due_at, m.minutes_before,
      'remind ' || r.id || ' ' || m.remind_at as event
    from reminders m join workspaces w on w.id = m.workspace_id and w.slug < '~' ${taskOf(sql`r.id = m.record_id`)}
    where m.remind_at > ${since} and m.remind_at <= ${until}`
  return sql`select d.* from (${sql.join([...before, chosen], sql` union all `)}) d where not exists (select 1 from notifications n
    where n.workspace_id = d.workspace_id and n.user_id = d.user_id and n.event in (d.event,
      case when d.minutes_before = 0 then 'due ' || d.id || ' ' || d.due_at else d.event end))`
}

const coming = { tasks: due, reminders } as const

/** The fields of tasks that say whether they are done, by workspace: the key of their values, and their options. */
export async function loadStatusFields(
  db: Db,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, { key: string; options: readonly { id: string; label: string }[] }>> {
  const rows = await sql<{ workspace_id: string; key: string; options: string }>`
    select workspace_id, key, options from custom_fields where workspace_id ${sql.among(workspaceIds)}
    and entity_type = 'tasks' and code = 'status' and system = 1 and deleted_at is null`.all(db)
  return new Map(rows.map(({ workspace_id, key, options }) => [workspace_id, { key, options: JSON.parse(options) }]))
}
