import type { Scope } from '../../scope/scope.ts'
import type { DialectName } from '../engines/session.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'

/** To look a record up costs as much as to go along so many entries of an index, and put them by. */
export const LOOK_UP: Readonly<Record<DialectName, number>> = { sqlite: 8, postgres: 20 }

type LookUp = {
  /** What comes first, with its alias. */
  each: RawBuilder<unknown>
  table: string
  alias: string
  /** Which rows of the table belong to it. */
  where: RawBuilder<unknown>
}

/**
 * `from … where …` of the rows of a table that belong to few others, looked up one after the other in an index. SQLite joins in
 * the order in which tables are named. PostgreSQL would go by its guess of how many there are, and go through the whole table
 * where it guesses wrong; what stands apart it must look up.
 */
export function lookedUp(scope: Scope, { each, table, alias, where }: LookUp): RawBuilder<unknown> {
  const named = sql`${sql.table(table)} ${sql.raw(alias)}`
  return scope.engine.dialect === 'sqlite'
    ? sql`from ${each} cross join ${named} where ${where}`
    : sql`from ${each} cross join lateral (select * from ${named} where ${where} offset 0) ${sql.raw(alias)} where true`
}

/** Likewise of the live records, as `r0`, whose ids are the `record_id` of what comes first. */
export function lookedUpLive(scope: Scope, table: string, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const where = sql`r0.workspace_id = ${scope.workspace.id} and r0.id = matching.record_id and r0.deleted_at is null`
  return lookedUp(scope, { each: sql`${ids} matching`, table, alias: 'r0', where })
}

/**
 * The ids that a set selects, each once. SQLite would rather walk through an index in which they are in order; it is made to sort them, so that what is looked up by them
 * afterwards is met in order, too: that takes half as long.
 */
export function distinctIds(scope: Scope, select: RawBuilder<unknown>): RawBuilder<unknown> {
  return scope.engine.dialect === 'sqlite'
    ? sql`select +one.record_id as record_id from (${select}) one group by +one.record_id`
    : sql`select distinct one.record_id as record_id from (${select}) one`
}
