import { type RelatedType, type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { posting } from '../engines/posting.ts'
import { findExisting } from './links.ts'

/** What holds rows that a write locks. */
export type LockedTable = ResourceName | 'merges'

/**
 * The order in which every write locks rows, within a table by id (decision 14). A record only refers to records of tables
 * before its own, so this is also "what is referred to, then what refers to it".
 */
export const lockOrder: readonly LockedTable[] = [...resourceNames, 'merges']

/** From weak to strong. `refer`: the record stays live. `change`: others may still refer to it. `alone`: not even that. */
const modes = ['refer', 'change', 'alone'] as const
export type LockMode = (typeof modes)[number]

const clauses: Readonly<Record<LockMode, string>> = {
  refer: 'for key share',
  change: 'for no key update',
  alone: 'for update',
}

/** Where rows are locked: a transaction, and the workspace they belong to. */
export type Locking = Pick<Scope, 'engine' | 'db'> & { workspace: { id: string } }

export type RowLock = { table: LockedTable; ids: readonly string[]; mode: LockMode }

/**
 * Locks rows in the order, until the transaction ends. All rows that a write locks at one time go through one call. Nobody
 * waits for the answer here: what is read next sees what was committed before the locks were had. False where a transaction
 * is alone anyway.
 */
export async function lockRows({ engine, db, workspace }: Locking, locks: readonly RowLock[]): Promise<boolean> {
  if (!engine.concurrentWrites) return false
  for (const table of lockOrder) {
    const own = locks.filter((lock) => lock.table === table)
    const ids = [...new Set(own.flatMap((lock) => lock.ids))]
    if (ids.length === 0) continue
    // One statement for a table, so that its rows are taken by id whatever they are taken for.
    const mode = modes.findLast((one) => own.some((lock) => lock.mode === one)) ?? 'alone'
    const text = lockText({ table, mode, live: false })
    const key = [workspace.id, ids]
    const names = ids.map((id) => lockName(workspace.id, id))
    if (db.shared) db.shared.take(names, `${text} skip locked`, key)
    else await posting(db).session.run(text, key)
  }
  return true
}

/**
 * Those of the ids that are members or live records of the workspace. Such a record is not deleted, and not merged into another
 * one, before the transaction ends: a merge moves what refers to its losers, and must see what is being written.
 */
export async function lockLive(inside: Scope, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (to === 'users' || ids.length === 0 || !inside.engine.concurrentWrites) return findExisting(inside, to, ids)
  const { session, shared } = inside.db
  const text = lockText({ table: to, mode: 'refer', live: true })
  const { rows } = await session.run(shared ? `${text} skip locked` : text, [inside.workspace.id, ids])
  // The statement selects ids.
  const found = new Set((rows as { id: string }[]).map((row) => row.id))
  // Either there is no such record, or someone else has it: that is found out outside of a shared transaction.
  if (shared && found.size < new Set(ids).size) shared.leave()
  return found
}

/** The name by which those who share a transaction tell who has taken a record. */
export function lockName(workspaceId: string, id: string): string {
  return `${workspaceId} ${id}`
}

type LockText = { table: LockedTable; mode: LockMode; live: boolean }

function lockText({ table, mode, live }: LockText): string {
  const state = live ? 'and deleted_at is null' : ''
  return `select id from ${table} where workspace_id = $1 and id = any ($2::text[]) ${state} order by id ${clauses[mode]}`
}
