import { perResource, type ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'

const moved = fixed(
  `insert into record_counts (workspace_id, resource, slot, live, version) values (?, ?, ?, ?, 1)
   on conflict (workspace_id, resource, slot)
   do update set live = record_counts.live + excluded.live, version = record_counts.version + 1`,
)

/** Records were written: so many more are live (or fewer), and whatever was counted before is out of date. */
export async function moveCounts(
  inside: Db,
  engine: Engine,
  workspaceId: string,
  resource: ResourceName,
  { live }: { live: number },
): Promise<void> {
  const slot = engine.countSlot()
  if (inside.count) inside.count({ workspaceId, resource, slot, live })
  else await moved(inside, [workspaceId, resource, slot, live])
}

const live = fixed<{ live: number }>(
  'select coalesce(sum(live), 0) as live from record_counts where workspace_id = ? and resource = ?',
)

/** How many live records of a resource there are. The number is stored, not counted. */
export async function loadLiveCount(scope: Scope, resource: ResourceName): Promise<number> {
  const [row] = await live(scope.db, [scope.workspace.id, resource])
  return row?.live ?? 0
}

/** How many live records of a resource there are, as a part of another statement. */
export function liveCount({ workspace }: Scope, resource: ResourceName): RawBuilder<unknown> {
  return sql`(select coalesce(sum(live), 0) from record_counts
    where workspace_id = ${workspace.id} and resource = ${resource})`
}

/** How much a database knows of a workspace: the versions of its records and of its field definitions. */
export type Knowledge = { records: number; fields: number }

const known = fixed<Knowledge>(
  `select coalesce((select sum(version) from record_counts where workspace_id = w.id), 0) as records, w.fields_version as fields
   from workspaces w where w.id = ?`,
)

export async function loadKnowledge(db: Db, workspaceId: string): Promise<Knowledge> {
  const [row] = await known(db, [workspaceId])
  return row ?? { records: 0, fields: 0 }
}

/** How many records there are, deleted ones too. Counts them: for rare occasions. */
export async function countRows(scope: Scope, resource: ResourceName): Promise<number> {
  const row = await scope.db.query
    .selectFrom(resource)
    .select((of) => of.fn.countAll<number>().as('rows'))
    .where('workspace_id', '=', scope.workspace.id)
    .executeTakeFirst()
  return row?.rows ?? 0
}

const versions = fixed<{ name: string; version: number }>(
  `select resource as name, sum(version) as version from record_counts where workspace_id = ? group by resource
   union all select 'fields' as name, fields_version as version from workspaces where id = ?`,
)

/** The versions of all resources that were ever written, and of the field definitions under `fields`. */
export async function loadVersions(scope: Scope): Promise<Record<string, number>> {
  const rows = await versions(scope.db, [scope.workspace.id, scope.workspace.id])
  return Object.fromEntries(rows.map(({ name, version }) => [name, version]))
}

const lives = fixed<{ resource: string; live: number }>(
  'select resource, sum(live) as live from record_counts where workspace_id = ? group by resource',
)

/** How many live records there are of each resource, without counting them. */
export async function loadLiveCounts(scope: Scope): Promise<Record<ResourceName, number>> {
  const counts = perResource(() => 0)
  const rows = await lives(scope.db, [scope.workspace.id])
  return { ...counts, ...Object.fromEntries(rows.map(({ resource, live }) => [resource, live])) }
}
