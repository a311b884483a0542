import { perResource, type ResourceName } from '@kith/contract/resource'
import type { Scope, Writing } from '../../scope/scope.ts'
import type { Db } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** Records were written: adds to the number of live records and increments the version of the resource. */
export async function addToCounts({ engine, db, workspace }: Writing, resource: ResourceName, live: number) {
  const slot = engine.countSlot()
  if (db.count) return db.count({ workspaceId: workspace.id, resource, slot, live })
  await sql`insert into record_counts (workspace_id, resource, slot, live, version)
    values (${workspace.id}, ${resource}, ${slot}, ${live}, 1)
    on conflict (workspace_id, resource, slot)
    do update set live = record_counts.live + excluded.live, version = record_counts.version + 1`.run(db)
}

/** After a restore: the version of the workspace must not be one that it had before. The time is greater. */
export async function raiseVersion({ db, workspace }: Writing, now: Date): Promise<void> {
  await sql`insert into record_counts (workspace_id, resource, slot, live, version)
    values (${workspace.id}, 'users', 0, 0, ${now.getTime()})
    on conflict (workspace_id, resource, slot) do update set version = excluded.version`.run(db)
}

/** How many live records of a resource there are. The number is stored, not counted. */
export function loadLiveCount(scope: Scope, resource: ResourceName): Promise<number> {
  return sql`select ${liveCount(scope, resource)} as live`.count(scope.db)
}

/** How many live records of a resource there are, as a part of another statement. */
export function liveCount({ workspace }: Scope, resource: ResourceName): Sql<unknown> {
  return sql`(select coalesce(sum(live), 0) from record_counts
    where workspace_id = ${workspace.id} and resource = ${resource})`
}

/** The versions of a workspace's records and field definitions, to compare a replica with the primary. */
type Knowledge = { records: number; fields: number }

export async function loadKnowledge(db: Db, workspaceId: string): Promise<Knowledge> {
  const row = await sql<Knowledge>`
    select coalesce((select sum(version) from record_counts where workspace_id = w.id), 0) as records,
      w.fields_version as fields
    from workspaces w where w.id = ${workspaceId}`.one(db)
  return row ?? { records: 0, fields: 0 }
}

/** How many records there are, including deleted ones. Reads all of them. */
export function countRows(scope: Scope, resource: ResourceName): Promise<number> {
  return sql`select count(*) as n from ${sql.table(resource)}
    where workspace_id = ${scope.workspace.id}`.count(scope.db)
}

/** The versions of all resources that were ever written, and of the field definitions under `fields`. */
export async function loadVersions({ db, workspace }: Scope): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; version: number }>`
    select resource as name, sum(version) as version from record_counts
    where workspace_id = ${workspace.id} group by resource
    union all select 'fields' as name, fields_version as version from workspaces where id = ${workspace.id}`.all(db)
  return Object.fromEntries(rows.map(({ name, version }) => [name, version]))
}

/** The stored number of live records of each resource. */
export async function loadLiveCounts({ db, workspace }: Scope): Promise<Record<ResourceName, number>> {
  const rows = await sql<{ resource: string; live: number }>`select resource, sum(live) as live from record_counts
    where workspace_id = ${workspace.id} group by resource`.all(db)
  const live = new Map(rows.map((row) => [row.resource, row.live]))
  return perResource((name) => live.get(name) ?? 0)
}
