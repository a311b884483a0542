import { type AuditedKind, auditedKinds } from '@kith/contract/app/audit'
import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/** Who changed what. */
export type AuditRow = {
  resource: AuditedKind
  id: string
  action: string
  actor_id: string | null
  source: string
  token_id: string | null
  /** Null for the creation of a record, whose entry has the record's own id. */
  record_id: string | null
  name: string | null
  changes: string | null
}

const who = ['actor_id', 'source', 'token_id']
const names = ['workspace_id', 'resource', 'id', 'action', ...who, 'record_id', 'name', 'changes']
const into = { table: 'audit_log', columns: columnsOf(names) }

/** Any number of entries with few statements. */
export async function insertAudit(
  { engine, db }: { engine: Engine; db: Db },
  workspaceId: string,
  rows: readonly AuditRow[],
): Promise<void> {
  const entries = rows.map((row) => [
    ...[workspaceId, row.resource, row.id, row.action, row.actor_id, row.source, row.token_id],
    ...[row.record_id, row.name, row.changes],
  ])
  if (db.append) db.append(into, entries)
  else await engine.insertRows(db, into, entries)
}

export type ListedEntry = AuditRow & { actor_name: string | null; token_name: string | null }

type Part = { before?: string; limit: number; offset: number }

/** The latest entries about some kinds of things. */
export function loadAudit(
  db: Db,
  workspaceId: string,
  { kinds, before, limit, offset }: Part & { kinds: readonly AuditedKind[] },
): Promise<ListedEntry[]> {
  const parts = kinds.map(
    (kind) => sql`select a.* from audit_log a where a.workspace_id = ${workspaceId} and a.resource = ${kind}
      ${isBefore(before)} order by a.id desc limit ${sql.unseen(limit + offset)}`,
  )
  return listed(db, parts, { limit, offset })
}

export function isBefore(id: string | undefined): Sql<unknown> {
  return id === undefined ? sql`` : sql`and a.id < ${id}`
}

/** The entries of several selects, latest first, with the names of users and tokens. */
export async function listed(
  db: Db,
  parts: readonly Sql<unknown>[],
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedEntry[]> {
  const query = sql<ListedEntry>`
    select e.*, u.name as actor_name, coalesce(t.name, o.name) as token_name from (
      select * from (${sql.union(parts)}) found order by id desc, resource
      limit ${sql.unseen(limit)} offset ${sql.unseen(offset)}) e
    left join users u on u.id = e.actor_id
    left join tokens t on t.id = e.token_id and t.workspace_id = e.workspace_id
    left join connections c on c.id = e.token_id and c.workspace_id = e.workspace_id
    left join oauth_clients o on o.client_id = c.client_id
    order by e.id desc, e.resource`
  return query.all(db)
}

/** The last names of deleted things. */
export async function loadLastNames(db: Db, workspaceId: string, recordIds: readonly string[]) {
  if (recordIds.length === 0) return []
  const query = sql<{ record_id: string; name: string }>`
    select a.record_id, a.name from audit_log a where a.workspace_id = ${workspaceId}
    and a.record_id in (${sql.join(recordIds)}) and a.name is not null order by a.id`
  return query.all(db)
}

const BATCH = 1000

/** Deletes some of the entries before an id; true when there may be more. */
export async function pruneAudit(engine: Engine, workspaceId: string, before: string): Promise<boolean> {
  const old = (limit: number) => sql`select resource, id from audit_log where workspace_id = ${workspaceId}
    and resource in (${sql.join(auditedKinds.map(sql.lit))}) and id < ${before} limit ${sql.lit(limit)}`
  if (!(await old(1).one(engine.db))) return false
  const pruned = await sql`delete from audit_log
    where workspace_id = ${workspaceId} and (resource, id) in (${old(BATCH)})`.run(engine.single)
  return pruned === BATCH
}
