import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { compileAll } from '../query/predicates.ts'
import type { Link } from './links.ts'
import { type LightRow, syncColumns } from './records.ts'

/** Live records by their ids, as the sync form shows them. */
export async function loadSyncRows(scope: Scope, resource: Resource, ids: readonly string[]): Promise<LightRow[]> {
  if (ids.length === 0) return []
  return sql<LightRow>`select ${sql.raw(syncColumns(resource))} from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.deleted_at is null and r0.id in (${sql.join(ids)})
    order by r0.id`.all(scope.db)
}

/** Those of the ids whose records meet a filter. */
export async function findMatching(
  scope: Scope,
  resource: Resource,
  { filter, ids }: { filter: Condition; ids: readonly string[] },
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const found = sql<string>`select r0.id from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.deleted_at is null and r0.id in (${sql.join(ids)})
    and ${compileAll(scope, [filter])}`
  return new Set(await found.column(scope.db))
}

/** The links of records: to live records, and to members as they are stored, also those who have left. */
export async function loadSyncLinks(scope: Scope, resource: Resource, ids: readonly string[]): Promise<Link[]> {
  const lists = Object.values(resource.links)
  if (lists.length === 0 || ids.length === 0) return []
  const readable = lists.map(({ to, relation }) =>
    to === 'users'
      ? sql`l.relation = ${sql.lit(relation)}`
      : sql`(l.relation = ${sql.lit(relation)} and exists (select 1 from ${sql.table(to)} t
          where t.workspace_id = l.workspace_id and t.id = l.to_id and t.deleted_at is null))`,
  )
  return sql<Link>`select l.from_id, l.relation, l.to_id from links l
    where l.workspace_id = ${scope.workspace.id} and l.from_id in (${sql.join(ids)})
    and (${sql.join(readable, sql` or `)}) order by l.from_id, l.relation, l.to_id`.all(scope.db)
}
