import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import { distinctIds, lookedUp, lookedUpLive } from './look-up.ts'
import { type RecordRow, shownColumns } from './records.ts'
import { type RawBuilder, sql } from './sql.ts'

/** As many parameters as both databases take in one statement, with room to spare. */
const IDS_TOGETHER = 10_000

/** Live records by their ids. */
export async function loadRecords(scope: Scope, type: ResourceName, ids: readonly string[]): Promise<RecordRow[]> {
  const rows: RecordRow[] = []
  for (let start = 0; start < ids.length; start += IDS_TOGETHER) {
    const { rows: some } = await recordsAmong(scope, type, ids.slice(start, start + IDS_TOGETHER)).execute(scope.db)
    rows.push(...some)
  }
  return rows
}

export function recordsAmong(scope: Scope, type: ResourceName, ids: readonly string[]): RawBuilder<RecordRow> {
  return sql`select ${sql.raw(shownColumns(registry[type]))} from ${sql.table(type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id in (${sql.join(ids)}) and r0.deleted_at is null order by r0.id`
}

/** Likewise of those whose ids are the `record_id` of a select. */
export function recordsIn(scope: Scope, type: ResourceName, select: RawBuilder<unknown>): RawBuilder<RecordRow> {
  return sql`select ${sql.raw(shownColumns(registry[type]))}
    ${lookedUpLive(scope, type, sql`(${distinctIds(scope, select)})`)} order by r0.id`
}

export type UserRow = { id: string; name: string; email: string }

const aboutUser = sql.raw(`m.user_id as id, (select u.name from users u where u.id = m.user_id) as name,
  (select u.email from users u where u.id = m.user_id) as email`)

/** Those of the users who are members of the workspace. */
export async function loadMembers(scope: Scope, ids: readonly string[]): Promise<UserRow[]> {
  return ids.length === 0 ? [] : (await membersAmong(scope, ids).execute(scope.db)).rows
}

export function membersAmong(scope: Scope, ids: readonly string[]): RawBuilder<UserRow> {
  return sql`select ${aboutUser} from members m
    where m.workspace_id = ${scope.workspace.id} and m.user_id in (${sql.join(ids)}) order by m.user_id`
}

/** Likewise of those whose ids are the `record_id` of a select. */
export function membersIn(scope: Scope, select: RawBuilder<unknown>): RawBuilder<UserRow> {
  const each = sql`(${distinctIds(scope, select)}) matching`
  const where = sql`m.workspace_id = ${scope.workspace.id} and m.user_id = matching.record_id`
  return sql`select ${aboutUser} ${lookedUp(scope, { each, table: 'members', alias: 'm', where })} order by m.user_id`
}
