import { type RelatedType, type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope, Writing } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { posting } from '../engines/transactions.ts'
import { findExisting } from './links.ts'

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
export async function lockRows({ engine, db, workspace }: Writing, locks: readonly RowLock[]): Promise<boolean> {
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
export async function lockLive(inside: Scope, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (to === 'users' || ids.length === 0 || !inside.engine.concurrentWrites) return findExisting(inside, to, ids)
  const live = sql`and deleted_at is null`
  return new Set(await locking(inside.workspace.id, { table: to, ids, mode: 'refer' }, live).column(inside.db))
}

/** Only databases with concurrent writes run this, so it may use an array. */
function locking(workspaceId: string, { table, ids, mode }: RowLock, state = sql``): Sql<string> {
  return sql`select id from ${sql.raw(table)} where workspace_id = ${workspaceId}
    and id = any (${ids}::text[]) ${state} order by id ${sql.raw(clauses[mode])}`
}
