import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { type RawBuilder, type SqlBool, sql } from '../engines/sql.ts'
import { syntaxOf } from '../engines/syntax.ts'

/**
 * The beginning of a walk along keys that may change. Every move of a record that the walk's first page did not see has this
 * clock or a later one, or was written by a transaction that was still open, and no record that stayed where it was has been changed after `newest`.
 */
export type WalkStart = { clock: number; open: readonly number[]; newest: string }

const starts = new Map(
  resourceNames.map((table) => [
    table,
    fixed<Omit<WalkStart, 'open'> & { open: number[] | null }>(
      ({ clock }) => `select ${clock.now} as clock, ${clock.open} as open, coalesce((select updated_at from ${table}
         where workspace_id = ? and deleted_at is null order by updated_at desc limit 1), '') as newest`,
    ),
  ]),
)

export async function loadStart(scope: Scope, resource: ResourceName): Promise<WalkStart> {
  const rows = await starts.get(resource)?.(scope.db, [scope.workspace.id])
  const row = rows?.[0]
  if (!row) throw new Error('A walk has no beginning.')
  return { ...row, open: row.open ?? [] }
}

/** Whether a row of `key_moves` under an alias came after the beginning of a walk. */
export function isSince(scope: Scope, alias: string, { clock, open }: WalkStart): RawBuilder<SqlBool> {
  const column = sql.ref(`${alias}.${syntaxOf(scope.db.session).clock.column}`)
  const [oldest] = open
  if (oldest === undefined) return sql`${column} >= ${clock}`
  return sql`(${column} >= ${oldest} and (${column} >= ${clock} or ${column} = any (${open}::bigint[])))`
}

const prunedAtOnce = fixed('delete from key_moves where moved_at < ?')

const MOVES_TOGETHER = 5000

/** Forgets the moves before a moment, in all workspaces. */
export async function pruneMoves(engine: Engine, before: string): Promise<void> {
  const { session } = engine.single
  if (engine.concurrentWrites) {
    await prunedAtOnce(engine.single, [before])
    return
  }
  const isOld = 'select 1 from (select moved_at from key_moves order by seq limit 1) where moved_at < ?'
  if ((await engine.db.session.run(isOld, [before])).rows.length === 0) return
  // A few at a time from the oldest on, so that no writer waits long.
  const text = `delete from key_moves where seq in (
    select seq from (select seq, moved_at from key_moves order by seq limit ${MOVES_TOGETHER}) where moved_at < ?)`
  while ((await session.run(text, [before])).affected === MOVES_TOGETHER);
}
