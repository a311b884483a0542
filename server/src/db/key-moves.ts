import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import type { Engine } from './engine.ts'
import { fixed } from './fixed.ts'
import type { DialectName } from './session.ts'
import { type RawBuilder, type SqlBool, sql } from './sql.ts'

/**
 * The beginning of a walk along keys that may change. Every move of a record that the walk's first page did not see has this
 * clock or a later one, and no record that stayed where it was has been changed after `newest`.
 */
export type WalkStart = { clock: number; newest: string }

/**
 * SQLite numbers moves in the order of their commits. PostgreSQL does not know that order, but it knows the oldest transaction that
 * had not ended yet: whatever becomes visible from now on has its number or a higher one, on whichever node it was written.
 */
const clocks: Readonly<Record<DialectName, { column: string; now: string }>> = {
  sqlite: { column: 'seq', now: '(select coalesce(max(seq), 0) + 1 from key_moves)' },
  postgres: { column: 'clock', now: 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint' },
}

const starts = new Map(
  resourceNames.map((table) => [table, { sqlite: start('sqlite', table), postgres: start('postgres', table) }]),
)

function start(dialect: DialectName, table: ResourceName) {
  return fixed<WalkStart>(
    `select ${clocks[dialect].now} as clock, coalesce((select updated_at from ${table}
       where workspace_id = ? and deleted_at is null order by updated_at desc limit 1), '') as newest`,
  )
}

export async function loadStart(scope: Scope, resource: ResourceName): Promise<WalkStart> {
  const rows = await starts.get(resource)?.[scope.engine.dialect](scope.db, [scope.workspace.id])
  const row = rows?.[0]
  if (!row) throw new Error('A walk has no beginning.')
  return row
}

/** Whether a row of `key_moves` under an alias came after the beginning of a walk. */
export function isSince(scope: Scope, alias: string, { clock }: WalkStart): RawBuilder<SqlBool> {
  return sql`${sql.ref(`${alias}.${clocks[scope.engine.dialect].column}`)} >= ${clock}`
}

const MOVES_TOGETHER = 5000

/** Forgets the moves before a moment, in all workspaces. */
export async function pruneMoves(engine: Engine, before: string): Promise<void> {
  const { session } = engine.single
  if (engine.dialect === 'postgres') {
    await session.run('delete from key_moves where moved_at < $1', [before])
    return
  }
  const isOld = 'select 1 from (select moved_at from key_moves order by seq limit 1) where moved_at < ?'
  if ((await engine.db.session.run(isOld, [before])).rows.length === 0) return
  // A few at a time from the oldest on, so that no writer waits long.
  const text = `delete from key_moves where seq in (
    select seq from (select seq, moved_at from key_moves order by seq limit ${MOVES_TOGETHER}) where moved_at < ?)`
  while ((await session.run(text, [before])).affected === MOVES_TOGETHER);
}
