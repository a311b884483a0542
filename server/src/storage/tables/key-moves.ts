import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'
import { syntaxOf } from '../engines/syntax.ts'

/**
 * The start of a walk along keys that may change. Every move of a record that the walk's first page did not see has
 * this clock or a later one, or belongs to a transaction in `open`. No other record was changed after `newest`.
 */
export type WalkStart = { clock: number; open: readonly number[]; newest: string }

export async function loadStart({ db, workspace }: Scope, resource: ResourceName): Promise<WalkStart> {
  const { clock } = syntaxOf(db.session)
  const row = await sql<Omit<WalkStart, 'open'> & { open: number[] | null }>`
    select ${sql.raw(clock.now)} as clock, ${sql.raw(clock.open)} as open, coalesce((
      select updated_at from ${sql.table(resource)} where workspace_id = ${workspace.id} and deleted_at is null
      order by updated_at desc limit 1), '') as newest`.one(db)
  if (!row) throw new Error('The start of a walk was not read.')
  return { ...row, open: row.open ?? [] }
}

/** Whether a row of `key_moves` under an alias came after the start of a walk. */
export function isSince(scope: Scope, alias: string, { clock, open }: WalkStart): Sql<SqlBool> {
  const column = sql.ref(`${alias}.${syntaxOf(scope.db.session).clock.column}`)
  const [oldest] = open
  if (oldest === undefined) return sql`${column} >= ${clock}`
  return sql`(${column} >= ${oldest} and (${column} >= ${clock} or ${column} = any (${open}::bigint[])))`
}

const MOVES_MAX = 5000

/** Deletes the moves before a time, in all workspaces. */
export async function pruneMoves(engine: Engine, before: string): Promise<void> {
  if (engine.concurrentWrites) {
    await sql`delete from key_moves where moved_at < ${before}`.run(engine.single)
    return
  }
  const old = await sql`select 1 as old from (select moved_at from key_moves order by seq limit 1)
    where moved_at < ${before}`.one(engine.db)
  if (!old) return
  // In batches from the oldest on, so that no writer waits long.
  const some = sql`delete from key_moves where seq in (
    select seq from (select seq, moved_at from key_moves order by seq limit ${sql.lit(MOVES_MAX)})
    where moved_at < ${before})`
  while ((await some.run(engine.single)) === MOVES_MAX);
}
