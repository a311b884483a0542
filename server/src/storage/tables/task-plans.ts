import { registry } from '@kith/contract/registry'
import type { NumberedTenant, Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { isNumbered } from './numbers.ts'
import { workspaceTable } from './table.ts'

/** How a series of tasks goes on, by its latest task. `after_completion` is 0 or 1. */
export type RepeatRow = {
  record_id: string
  unit: 'day' | 'weekday' | 'week' | 'month'
  every: number
  after_completion: number
  time_zone: string
  anchor: string | null
  /** The task whose completion created the latest one. */
  previous_id: string | null
}

export const repeatTable = workspaceTable<RepeatRow>('task_repeats', {
  columns: ['record_id', 'unit', 'every', 'after_completion', 'time_zone', 'anchor', 'previous_id'],
  numbers: ['every', 'after_completion'],
})

/** When a member is reminded of a task: `minutes_before` due dates after `due_after`, or at a chosen time. */
export type ReminderRow = {
  user_id: string
  record_id: string
  minutes_before: number | null
  due_after: string | null
  remind_at: string | null
}

export const reminderTable = workspaceTable<ReminderRow>('reminders', {
  columns: ['user_id', 'record_id', 'minutes_before', 'due_after', 'remind_at'],
  numbers: ['minutes_before'],
})

/** The tasks with which a series goes on. */
export function loadRepeating({ db, workspace }: Tenant): Promise<string[]> {
  return sql<string>`select record_id from task_repeats where workspace_id = ${workspace.id} order by record_id`.column(
    db,
  )
}

/** The latest task of the series that goes on after a task. */
export function findNextTask(
  tenant: NumberedTenant,
  previousId: string,
): Promise<{ id: string; title: string; custom_fields: string } | undefined> {
  return sql<{ id: string; title: string; custom_fields: string }>`select x.id, x.name as title, x.custom_fields
    from task_repeats t join records x on ${isNumbered(tenant, registry.tasks.number, 'x')} and x.id = t.record_id
      and x.deleted_at is null
    where t.workspace_id = ${tenant.workspace.id} and t.previous_id = ${previousId}
    order by x.id desc limit 1`.one(tenant.db)
}

/** Of some tasks, those that have a comment or a file. */
export function loadWithParts({ db, workspace }: Tenant, ids: readonly string[]): Promise<string[]> {
  const part = (table: string) => sql`select record_id from ${sql.table(table)}
    where workspace_id = ${workspace.id} and record_id ${sql.among(ids)}`
  return sql<string>`select record_id from (${part('comments')} union ${part('files')}) parts order by record_id`.column(
    db,
  )
}

/** Takes back what a merge has given its winner. */
export async function removeMergedPlans(
  { db, workspace }: Tenant,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<void> {
  const moved = (table: string) => sql`(select m.record_id from merge_moves m where m.workspace_id = ${workspace.id}
    and m.merge_id = ${merge_id} and m.resource = ${table})`
  await sql`delete from reminders where workspace_id = ${workspace.id} and record_id = ${winner_id}
    and user_id in ${moved('reminders')}`.run(db)
  await sql`delete from task_repeats where workspace_id = ${workspace.id} and record_id = ${winner_id}
    and record_id in ${moved('task_repeats')}`.run(db)
}
