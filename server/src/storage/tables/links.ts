import { type RelatedType, type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { posting } from '../engines/transactions.ts'

const into = { table: 'links', columns: columnsOf(['workspace_id', 'from_type', 'from_id', 'relation', 'to_id']) }

export type Link = { from_id: string; relation: string; to_id: string }

export function insertLinks(inside: Tenant, fromType: ResourceName, links: readonly Link[]): Promise<void> {
  const rows = links.map((link) => [inside.workspace.id, fromType, link.from_id, link.relation, link.to_id])
  return inside.engine.insertRows(inside.db, into, rows)
}

/** Removes links of any number of records. */
export async function removeLinks(inside: Tenant, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return
  const named = links.map(({ from_id, relation, to_id }) => `${from_id} ${relation} ${to_id}`)
  await sql`delete from links where workspace_id = ${inside.workspace.id}
    and from_id ${sql.among([...new Set(links.map((link) => link.from_id))])}
    and from_id || ' ' || relation || ' ' || to_id ${sql.among(named)}`.run(inside.db)
}

/** The links of records in some relations, including those to deleted records and former members. */
export async function loadLinked(
  scope: Tenant,
  fromIds: readonly string[],
  relations: readonly string[],
): Promise<Link[]> {
  if (fromIds.length === 0 || relations.length === 0) return []
  return sql<Link>`select from_id, relation, to_id from links where workspace_id = ${scope.workspace.id}
    and from_id ${sql.among(fromIds)} and relation ${sql.among(relations)}`.all(scope.db)
}

/** The latest live records that are linked to a record, read along the index. */
export function loadLatestLinked(
  { db, workspace }: Tenant,
  part: {
    to_id: string
    from_type: ResourceName
    relation: string
    before: string | undefined
    limit: number
  },
): Promise<string[]> {
  const { to_id, from_type, relation, before, limit } = part
  return sql<string>`select l.from_id from links l
    join ${sql.table(from_type)} r on r.workspace_id = l.workspace_id and r.id = l.from_id and r.deleted_at is null
    where l.workspace_id = ${workspace.id} and l.to_id = ${to_id} and l.from_type = ${from_type}
    and l.relation = ${relation} ${before === undefined ? sql`` : sql`and l.from_id < ${before}`}
    order by l.from_id desc limit ${sql.unseen(limit)}`.column(db)
}

/** Those of the ids that are members or live records of the workspace, in one statement. */
export async function findExisting(scope: Tenant, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db, workspace } = scope
  const found =
    to === 'users'
      ? sql<string>`select user_id from members
          where workspace_id = ${workspace.id} and user_id ${sql.among(ids)}`
      : sql<string>`select id from ${sql.table(to)}
          where workspace_id = ${workspace.id} and id ${sql.among(ids)} and deleted_at is null`
  return new Set(await found.column(db))
}

/** A table whose rows writes lock. */
export type LockedTable = ResourceName | 'merges'

/**
 * The order in which every write locks rows, within a table by id (decision 14). A record only refers to records of
 * tables before its own, so this is also "what is referred to, then what refers to it".
 */
export const lockOrder: readonly LockedTable[] = [...resourceNames, 'merges']

/**
 * From weak to strong. `refer`: the record stays live. `change`: others may still refer to it. `alone`: not even that.
 */
const modes = ['refer', 'change', 'alone'] as const

type LockMode = (typeof modes)[number]

const clauses: Readonly<Record<LockMode, string>> = {
  refer: 'for key share',
  change: 'for no key update',
  alone: 'for update',
}

export type RowLock = { table: LockedTable; ids: readonly string[]; mode: LockMode }

/**
 * Locks rows in the order, until the transaction ends. All rows that a write locks at one time go through one call. It
 * does not wait for the locks: the next read sees what was committed before they were taken. False if only one
 * transaction writes at a time.
 */
export async function lockRows({ engine, db, workspace }: Tenant, locks: readonly RowLock[]): Promise<boolean> {
  if (!engine.concurrentWrites) return false
  for (const table of lockOrder) {
    const own = locks.filter((lock) => lock.table === table)
    const ids = [...new Set(own.flatMap((lock) => lock.ids))]
    if (ids.length === 0) continue
    // One statement per table, so that its rows are locked in the order of their ids in every mode.
    const mode = modes.findLast((one) => own.some((lock) => lock.mode === one)) ?? 'alone'
    await locking(workspace.id, { table, ids, mode }).run(posting(db))
  }
  return true
}

/**
 * Those of the ids that are members or live records of the workspace. Such a record is neither deleted nor merged into
 * another one before the transaction ends: a merge moves what refers to its losers, so it must see what is being
 * written.
 */
export async function lockLive(inside: Tenant, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (to === 'users' || ids.length === 0 || !inside.engine.concurrentWrites) return findExisting(inside, to, ids)
  const live = sql`and deleted_at is null`
  return new Set(await locking(inside.workspace.id, { table: to, ids, mode: 'refer' }, live).column(inside.db))
}

/** Only databases with concurrent writes run this, so it may use an array. */
function locking(workspaceId: string, { table, ids, mode }: RowLock, state = sql``): Sql<string> {
  return sql`select id from ${sql.raw(table)} where workspace_id = ${workspaceId}
    and id = any (${ids}::text[]) ${state} order by id ${sql.raw(clauses[mode])}`
}
