import { registry } from '@kith/contract/registry'
import type { Db, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** A task whose due date has come, and that nobody was notified of. */
export type DueRow = {
  workspace_id: string
  workspace: number
  id: string
  creator_id: string | null
  due_at: string
  custom_fields: string
}

type Period = { since: string; until: string }

/** What happens when a due date of a task comes: once for each date. */
export function dueEvent({ id, due_at }: Pick<DueRow, 'id' | 'due_at'>): string {
  return `due ${id} ${due_at}`
}

/** Some tasks that became due in a period, of all workspaces, after one of them. The first due come first. */
export function findDue(db: Db, period: Period, after?: Pick<DueRow, 'due_at' | 'id'>): Promise<DueRow[]> {
  const rest = after ? sql`and (v.match_key, r.id) > (${after.due_at}, ${after.id})` : sql``
  return sql<DueRow>`${due(period)} ${rest} order by v.match_key, r.id limit ${sql.lit(DUE_AT_ONCE)}`.all(db)
}

const DUE_AT_ONCE = 500

/** Those of some tasks of a workspace that became due in a period, as they are now. */
export function loadDue({ db, workspace }: Tenant, period: Period, ids: readonly string[]): Promise<DueRow[]> {
  return sql<DueRow>`${due(period)} and w.id = ${workspace.id} and r.id ${sql.among(ids)} order by r.id`.all(db)
}

function due({ since, until }: Period): Sql<unknown> {
  const { number } = registry.tasks
  return sql`select w.id as workspace_id, w.number as workspace, r.id, r.creator_id, v.match_key as due_at,
      r.custom_fields from workspaces w
    join custom_fields f on f.workspace_id = w.id and f.entity_type = 'tasks' and f.code = 'due_date' and f.system = 1
      and f.deleted_at is null
    join field_values v on v.workspace = w.number and v.field = f.number
      and v.match_key > ${since} and v.match_key <= ${until}
    join records r on r.workspace = w.number and r.number = v.record and r.resource = ${sql.lit(number)}
      and r.deleted_at is null
    where w.slug < '~' and not exists (select 1 from notifications n
      where n.workspace_id = w.id and n.event = 'due ' || r.id || ' ' || v.match_key)`
}

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
