import type { Bounds } from '@kith/contract/filter'
import type { RelatedType } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'

export type Bool = Sql<SqlBool>

export type Keys = { keys: readonly string[]; texts?: readonly string[] }

/** A row `v` of the index has one of the match keys, and is exactly one of the texts if texts are given. */
export function hasKey({ keys, texts }: Keys, column: Sql<unknown> = sql`v.match_key`): Bool {
  const matching = isOneOf(column, keys)
  return texts ? sql`${matching} and ${isOneOf(sql`coalesce(v.exact, v.match_key)`, texts)}` : matching
}

export function isOneOf(column: Sql<unknown>, values: readonly string[]): Bool {
  return values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} in (${sql.join(values)})`
}

export function inBounds<T>(column: Sql<unknown>, bounds: Bounds<T>): Bool {
  const parts: Bool[] = []
  if (bounds.from !== undefined) parts.push(sql`${column} >= ${bounds.from}`)
  if (bounds.after !== undefined) parts.push(sql`${column} > ${bounds.after}`)
  if (bounds.to !== undefined) parts.push(sql`${column} <= ${bounds.to}`)
  if (bounds.before !== undefined) parts.push(sql`${column} < ${bounds.before}`)
  return parts.length === 0 ? sql`${column} is not null` : sql`(${sql.join(parts, sql` and `)})`
}

/** The column that identifies a related member or record. */
export function keyOf(to: RelatedType): 'user_id' | 'id' {
  return to === 'users' ? 'user_id' : 'id'
}

/** `from … where` of the members, or of the live records of a resource, under the alias `r<depth>`. */
export function liveRows(scope: Scope, to: RelatedType, depth: number): Sql<unknown> {
  const alias = sql.raw(`r${depth}`)
  const ours = sql`${alias} where ${alias}.workspace_id = ${scope.workspace.id}`
  return to === 'users'
    ? sql`from members ${ours}`
    : sql`from ${sql.table(to)} ${ours} and ${alias}.deleted_at is null
        ${scope.engine.hints.andInTime(`r${depth}.seq`)}`
}

/** `from … where` of the live records, as `r0`, whose ids are the `record_id` of a set. */
export function liveRowsIn(scope: Scope, table: string, ids: Sql<unknown>): Sql<unknown> {
  const where = sql`r0.id = matching.record_id and r0.deleted_at is null`
  return rowsOf(scope, table, { each: sql`${ids} matching`, where })
}

/** `from … where` of the records, as `r0`, that belong to each of a few rows. */
export function rowsOf(scope: Scope, table: string, { each, where }: Record<'each' | 'where', Sql<unknown>>) {
  const ours = sql`r0.workspace_id = ${scope.workspace.id} and ${where}`
  return scope.engine.hints.lookUpEach({ each, table, alias: 'r0', where: ours })
}
