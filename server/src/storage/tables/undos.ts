import { momentOf } from '@kith/contract/id'
import type { Origin, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { AuditRow } from './audit-log.ts'
import { isWhole, withLastSaves } from './saves.ts'

/** The entries with these ids, of some resources. */
export async function loadEntriesById(
  { db, workspace }: Tenant,
  { resources, ids }: { resources: readonly string[]; ids: readonly string[] },
): Promise<AuditRow[]> {
  if (ids.length === 0) return []
  return sql<AuditRow>`select a.* from audit_log a where a.workspace_id = ${workspace.id}
    and a.resource ${sql.among(resources)} and a.id ${sql.among(ids)} order by a.id`.all(db)
}

/** The changes with these ids, of some resources. The id of a save names the change that it is a part of. */
export async function loadWholeById(
  { db, workspace }: Tenant,
  { resources, ids }: { resources: readonly string[]; ids: readonly string[] },
): Promise<(AuditRow & { named: string })[]> {
  if (ids.length === 0) return []
  const rows = await sql<AuditRow & { named: string }>`select a.*, n.id as named from audit_log n
    join audit_log a on a.workspace_id = n.workspace_id and a.resource = n.resource and a.id = coalesce(n.save_of, n.id)
    where n.workspace_id = ${workspace.id} and n.resource ${sql.among(resources)} and n.id ${sql.among(ids)}
    order by n.id`.all(db)
  return withLastSaves(db, workspace.id, rows)
}

/** The first of the automatic saves that are the latest change of a record, if its last one has left it so. */
export async function findFirstSave(
  { db, workspace }: Tenant,
  { id, updated_at }: { id: string; updated_at: string },
): Promise<AuditRow | undefined> {
  const [last] = await sql<AuditRow>`select a.* from audit_log a where a.workspace_id = ${workspace.id}
    and a.record_id = ${id} order by a.id desc limit 1`.all(db)
  // The entry of a later change may not be stored yet, but it has moved the time.
  if (!last || last.save_of === null || momentOf(last.id) !== updated_at) return undefined
  if (last.save_of === last.id) return last
  return sql<AuditRow>`select a.* from audit_log a where a.workspace_id = ${workspace.id}
    and a.resource = ${last.resource} and a.id = ${last.save_of}`.one(db)
}

/** Which of the changes are undone, and by which change. One whose undo is undone itself is not undone. */
export async function loadUndos({ db, workspace }: Tenant, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  // Begins with "select": a transaction takes anything else for a write.
  const rows = await sql<{ undo_of: string; id: string }>`select f.undo_of, f.id from (
    with recursive family (undo_of, id) as (
      select a.undo_of, a.id from audit_log a where a.workspace_id = ${workspace.id} and a.undo_of ${sql.among(ids)}
      union
      select a.undo_of, a.id from family f cross join audit_log a
        where a.workspace_id = ${workspace.id} and a.undo_of = f.id)
    select undo_of, id from family) f order by f.id desc`.all(db)
  // The latest first: an undo of an undo comes before it.
  const undone = new Map<string, string>()
  for (const { undo_of, id } of rows) if (!undone.has(id)) undone.getOrInsert(undo_of, id)
  return undone
}

/** An entry of a record after a change. */
export type LaterEntry = Pick<AuditRow, 'id' | 'action' | 'changes' | 'undo_of' | 'cause'> & { record_id: string }

/** The entries of records after a change of each, in order. */
export async function loadLaterEntries(
  { db, workspace }: Tenant,
  changes: readonly { record_id: string; id: string }[],
): Promise<LaterEntry[]> {
  const [first] = changes.map(({ id }) => id).sort()
  if (first === undefined) return []
  const after = new Map(changes.map(({ record_id, id }) => [record_id, id]))
  const rows = await sql<LaterEntry>`select a.id, a.action, a.changes, a.undo_of, a.cause, a.record_id from audit_log a
    where a.workspace_id = ${workspace.id} and a.record_id ${sql.among([...after.keys()])}
    and a.id > ${first} and ${isWhole('a')} order by a.id`.all(db)
  return rows.filter(({ record_id, id }) => id > (after.get(record_id) ?? ''))
}

/** How many entries one statement looks through, so that no writer waits long. */
const WINDOW = 20_000

/** Changes of one origin from one id to another that undo nothing and that no other change caused, the latest first. */
export async function loadOwnChanges(
  { db, workspace, actor }: Tenant & { actor: Origin },
  { resource, from, until, most }: { resource: string; from: string; until: string; most: number },
): Promise<string[]> {
  const own: Sql<unknown> =
    actor.token_id === null
      ? sql`w.token_id is null and w.source = 'web' and w.actor_id = ${actor.user_id}`
      : sql`w.token_id = ${actor.token_id}`
  const found: string[] = []
  for (let end = until; found.length < most; ) {
    const part = sql`select a.* from audit_log a where a.workspace_id = ${workspace.id} and a.resource = ${resource}
      and a.id >= ${from} and a.id < ${end} order by a.id desc limit ${sql.lit(WINDOW)}`
    const ids = await sql<string>`select w.id from (${part}) w
      where w.undo_of is null and w.cause is null and ${isWhole('w')} and ${own} order by w.id desc`.column(db)
    found.push(...ids)
    const first = await sql<string>`select a.id from audit_log a where a.workspace_id = ${workspace.id}
      and a.resource = ${resource} and a.id >= ${from} and a.id < ${end}
      order by a.id desc limit 1 offset ${sql.lit(WINDOW - 1)}`.value(db)
    if (first === undefined) break
    end = first
  }
  return found.slice(0, most)
}
