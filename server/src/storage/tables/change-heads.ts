import { firstIdAt } from '@kith/contract/id'
import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** How many entries one statement deletes, so that no writer waits long. */
const BATCH = 500

/**
 * Deletes some of the oldest entries of a workspace, as long as they were written before a time; false when none are
 * left. Readers are told first that they are gone.
 */
export async function pruneChanges(engine: Engine, workspaceId: string, before: string): Promise<boolean> {
  const last = await findLastOld(engine, workspaceId, before)
  if (last === undefined) return false
  await sql`insert into change_heads (workspace_id, sequence, pruned, complete_from)
    values (${workspaceId}, ${last}, ${last}, ${before})
    on conflict (workspace_id) do update set
      complete_from = case when change_heads.complete_from > excluded.complete_from then change_heads.complete_from
        else excluded.complete_from end,
      sequence = case when change_heads.sequence < excluded.sequence then excluded.sequence
        else change_heads.sequence end,
      pruned = case when change_heads.pruned < excluded.pruned then excluded.pruned else change_heads.pruned end
    `.run(engine.single)
  await sql`delete from changes where workspace_id = ${workspaceId} and sequence <= ${last}`.run(engine.single)
  return true
}

/**
 * The last of the oldest entries before the first that is kept. Their ids begin with the time of the write, which
 * counts: the records of sample data changed long before. Times may be out of order by a little.
 */
async function findLastOld(engine: Engine, workspaceId: string, before: string): Promise<number | undefined> {
  const oldest = await sql<{ sequence: number; id: string }>`select c.sequence, c.id
    from changes c where c.workspace_id = ${workspaceId}
    order by c.sequence limit ${sql.lit(BATCH)}`.all(engine.db)
  const first = firstIdAt(Date.parse(before))
  const kept = oldest.findIndex(({ id }) => id >= first)
  return (kept === -1 ? oldest.at(-1) : oldest[kept - 1])?.sequence
}

/** Begins the feeds of all workspaces again, after a backup was restored: no earlier cursor is valid. */
export async function restartFeeds(inside: Db, { epoch, at }: { epoch: string; at: Date }): Promise<void> {
  await sql`delete from change_heads`.run(inside)
  await sql`insert into change_heads (workspace_id, sequence, pruned, epoch, complete_from)
    select id, ${at.getTime()}, ${at.getTime()}, ${epoch}, ${at.toISOString()} from workspaces`.run(inside)
}
