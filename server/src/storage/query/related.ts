import { registry } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { type LightRow, lightColumns, type RecordRow, shownColumns } from '../tables/records.ts'
import { distinctIds, lookedUp, lookedUpLive } from './look-up.ts'

/** With light custom fields that is 16 MiB at most. */
const RECORDS_TOGETHER = 1000

/** As many parameters as both databases take in one statement, with room to spare. */
const IDS_TOGETHER = 10_000

/** Live records by their ids, some at a time: a reader that has enough of them stops. */
export async function* loadRecords(
  scope: Scope,
  type: ResourceName,
  ids: readonly string[],
): AsyncGenerator<LightRow[]> {
  for (let start = 0; start < ids.length; start += RECORDS_TOGETHER) {
    const some = ids.slice(start, start + RECORDS_TOGETHER)
    const query = sql<LightRow>`select ${sql.raw(lightColumns(registry[type]))} ${liveAmong(scope, type, some)}`
    yield (await query.execute(scope.db)).rows
  }
}

/** The custom fields of live records, by their ids. */
export async function loadCustomFields(
  scope: Scope,
  type: ResourceName,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = sql<{ id: string; custom_fields: string }>`
    select r0.id, r0.custom_fields ${liveAmong(scope, type, ids)}`
  const { rows } = await query.execute(scope.db)
  return new Map(rows.map((row) => [row.id, row.custom_fields]))
}

/** The names of live records, by their ids. */
export async function loadLabels(
  scope: Scope,
  { type, label }: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  for (let start = 0; start < ids.length; start += IDS_TOGETHER) {
    const some = ids.slice(start, start + IDS_TOGETHER)
    const query = sql<{ id: string; label: string }>`
      select r0.id, ${sql.ref(`r0.${label}`)} as label ${liveAmong(scope, type, some)}`
    for (const row of (await query.execute(scope.db)).rows) labels.set(row.id, row.label)
  }
  return labels
}

/** Live records by their ids, whole. */
export function recordsAmong(scope: Scope, type: ResourceName, ids: readonly string[]): RawBuilder<RecordRow> {
  return sql`select ${sql.raw(shownColumns(registry[type]))} ${liveAmong(scope, type, ids)}`
}

function liveAmong(scope: Scope, type: ResourceName, ids: readonly string[]): RawBuilder<unknown> {
  return sql`from ${sql.table(type)} r0 where r0.workspace_id = ${scope.workspace.id}
    and r0.id in (${sql.join(ids)}) and r0.deleted_at is null order by r0.id`
}

/** Live records whose ids are the `record_id` of a select. */
export function recordsIn(scope: Scope, type: ResourceName, select: RawBuilder<unknown>): RawBuilder<LightRow> {
  return sql`select ${sql.raw(lightColumns(registry[type]))}
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
