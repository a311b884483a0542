import type { Bounds } from '@kith/contract/filter'
import type { RelatedType } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, type SqlBool, sql } from '../engines/sql.ts'
import { IN_TIME } from '../engines/sqlite/time.ts'

type Bool = RawBuilder<SqlBool>

export type Keys = { keys: readonly string[]; texts?: readonly string[] }

/** A row `v` of the index has one of the match keys, and is exactly one of the texts where texts are given. */
export function hasKey({ keys, texts }: Keys, column: RawBuilder<unknown> = sql`v.match_key`): Bool {
  const matching = isOneOf(column, keys)
  return texts ? sql`${matching} and ${isOneOf(sql`coalesce(v.exact, v.match_key)`, texts)}` : matching
}

export function hasHost(hosts: readonly string[], column: RawBuilder<unknown> = sql`v.host_key`): Bool {
  return isOneOf(column, hosts)
}

/**
 * A column of a row that is found by other means. SQLite would rather look for the value in an index of its own, among all
 * records that have it; the sign takes that index away from it.
 */
export function found(scope: Scope, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return scope.engine.dialect === 'sqlite' ? sql`+${column}` : column
}

/** Keeps PostgreSQL from turning a probe of one row into a join over all of them; SQLite never does. */
export function keptApart(scope: Scope): RawBuilder<unknown> {
  return scope.engine.dialect === 'postgres' ? sql`offset 0` : sql``
}

function isOneOf(column: RawBuilder<unknown>, values: readonly string[]): Bool {
  return values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} in (${sql.join(values)})`
}

export function within<T>(column: RawBuilder<unknown>, bounds: Bounds<T>): Bool {
  const parts: Bool[] = []
  if (bounds.from !== undefined) parts.push(sql`${column} >= ${bounds.from}`)
  if (bounds.after !== undefined) parts.push(sql`${column} > ${bounds.after}`)
  if (bounds.to !== undefined) parts.push(sql`${column} <= ${bounds.to}`)
  if (bounds.before !== undefined) parts.push(sql`${column} < ${bounds.before}`)
  return parts.length === 0 ? sql`${column} is not null` : sql`(${sql.join(parts, sql` and `)})`
}

/** The column by which a related member or record is known. */
export function keyOf(to: RelatedType): 'user_id' | 'id' {
  return to === 'users' ? 'user_id' : 'id'
}

export function isAmong(to: RelatedType, ids: readonly string[], depth: number): Bool {
  return isOneOf(sql.ref(`r${depth}.${keyOf(to)}`), ids)
}

/** `from … where` of the members, or of the live records of a resource, under the alias of a depth. */
export function existing(scope: Scope, to: RelatedType, depth: number): RawBuilder<unknown> {
  const alias = sql.raw(`r${depth}`)
  return to === 'users'
    ? sql`from members ${alias} where ${alias}.workspace_id = ${scope.workspace.id}`
    : sql`from ${sql.table(to)} ${alias} where ${alias}.workspace_id = ${scope.workspace.id} and ${alias}.deleted_at is null
        ${andInTime(scope, `r${depth}.seq`)}`
}

/** Of so many rows, one asks for the time. */
const ROWS_PER_CHECK = 64

/**
 * `and …` for statements that look at many rows: on SQLite it ends the statement when the request has no time left, see
 * sqlite-time.ts. To call the function takes as long as to read a few rows of an index, so a column of whole numbers, where
 * there is one, decides which rows do. PostgreSQL stops statements by itself.
 */
export function andInTime(scope: Scope, numbers?: string): RawBuilder<unknown> {
  if (scope.engine.dialect !== 'sqlite') return NOTHING
  return numbers === undefined ? sql.raw(`and ${IN_TIME}()`) : andSomeInTime(numbers)
}

const NOTHING = sql.raw('')

export function andSomeInTime(numbers: string): RawBuilder<unknown> {
  return sql.raw(`and (${numbers} & ${ROWS_PER_CHECK - 1} or ${IN_TIME}())`)
}
