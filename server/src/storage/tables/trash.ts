import { registry } from '@kith/contract/registry'
import { type Resource, type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { IndexedRow } from './record-values.ts'

/** A record that can be restored, with everything its part of the index is derived from. */
export type DeletedRow = IndexedRow & { updated_at: string }

/** Records by their ids, live or deleted, in the order of their ids. */
export async function loadAnyRows(scope: Scope, resource: Resource, ids: readonly string[]): Promise<DeletedRow[]> {
  if (ids.length === 0) return []
  const query = sql<DeletedRow>`
    select r.id, r.created_at, r.updated_at, r.deleted_at, ${sql.ref(`r.${resource.label}`)} as label, r.name_key,
    r.duplicate_key, r.custom_fields from ${sql.table(resource.type)} r
    where r.workspace_id = ${scope.workspace.id} and r.id in (${sql.join(ids)}) order by r.id`
  return query.all(scope.db)
}

/** Makes deleted records live again. */
export async function markReturned(
  inside: Scope,
  { type }: Resource,
  { ids, updated_at }: { ids: readonly string[]; updated_at: string },
): Promise<void> {
  await sql`update ${sql.table(type)} set deleted_at = null, deleted_by = null, updated_at = ${updated_at}
    where workspace_id = ${inside.workspace.id} and id in (${sql.join(ids)})`.run(inside.db)
}

type TrashRow = {
  resource: ResourceName
  id: string
  name: string
  deleted_at: string
  deleted_by: string | null
  deleted_by_name: string | null
  merge_id: string | null
  merged_into: string | null
}

type TrashPage = { resource?: ResourceName; since: string; limit: number; offset: number }

/** One page of the records that were deleted since a time, latest first, and their total. */
export async function loadTrash(scope: Scope, { resource, since, limit, offset }: TrashPage) {
  const names = resource ? [resource] : resourceNames
  const first = (name: ResourceName) => sql`
    select ${sql.lit(name)} as resource, r.id, ${sql.ref(`r.${registry[name].label}`)} as name, r.deleted_at, r.deleted_by
    ${inTrash(scope, name, since)} order by r.deleted_at desc, r.id desc limit ${sql.unseen(limit + offset)}`
  const all = sql.union(names.map(first))
  const page = sql<TrashRow>`
    select t.*, u.name as deleted_by_name, w.winner_id as merged_into from (
      select f.*, (
        select max(m.id) from merge_losers l join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
        where l.workspace_id = ${scope.workspace.id} and l.record_id = f.id and m.undone_at is null) as merge_id
      from (
        select * from (${all}) found order by deleted_at desc, id desc limit ${sql.unseen(limit)} offset ${offset}) f) t
    left join merges w on w.workspace_id = ${scope.workspace.id} and w.id = t.merge_id
    left join users u on u.id = t.deleted_by order by t.deleted_at desc, t.id desc`
  const counts = sql.join(
    names.map((name) => sql`(select count(*) ${inTrash(scope, name, since)})`),
    sql` + `,
  )
  return { rows: await page.all(scope.db), total: await sql`select ${counts} as total`.count(scope.db) }
}

function inTrash(scope: Scope, name: ResourceName, since: string): Sql<unknown> {
  return sql`from ${sql.table(name)} r
    where r.workspace_id = ${scope.workspace.id} and r.deleted_at is not null and r.deleted_at > ${since}`
}
