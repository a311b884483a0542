import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { liveRows } from './fragments.ts'

/** The beginning of a value in the index, by its match key or by its host. */
export type ValuePrefix = { field_id: string; column: 'match_key' | 'host_key'; prefix: string }

/** A record that was found, and the value that matched if it was not the name. */
export type Hit = { id: string; value: string | null }

/** Live records whose name begins with a folded text, then those that hold a value which begins with one. */
export async function findByPrefix(
  scope: Scope,
  resource: Resource,
  { name, values, limit }: { name: string; values: readonly ValuePrefix[]; limit: number },
): Promise<Hit[]> {
  const named = sql`select r0.id, null as value, 0 as turn, r0.name_key as turn_key ${liveRows(scope, resource.type, 0)}
    and ${startsWith(sql`r0.name_key`, name)} order by r0.name_key, r0.id limit ${sql.unseen(limit)}`
  const parts = [named, ...values.map((value) => holding(scope, value, limit))]
  const query = sql<Hit>`select id, value from (${sql.union(parts)}) found order by turn, turn_key, id`
  return query.all(scope.db)
}

function holding(scope: Scope, { field_id, column, prefix }: ValuePrefix, limit: number): Sql<unknown> {
  const key = sql.ref(`v.${column}`)
  return sql`select v.record_id as id, v.match_key as value, 1 as turn, ${key} as turn_key from field_values v
    where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field_id} and ${startsWith(key, prefix)}
    order by ${key}, v.created_at desc, v.record_id limit ${sql.unseen(limit)}`
}

/** Sorts after every text that may follow a prefix. */
const LAST = '\u{10ffff}'

function startsWith(column: Sql<unknown>, prefix: string): Sql<unknown> {
  return sql`${column} >= ${prefix} and ${column} < ${prefix + LAST}`
}

/** If very many names hold a part, this many are read. */
const CANDIDATES = 500

/** Live records whose name holds one of the folded parts; those of an earlier part come first. */
export async function findByPart(
  scope: Scope,
  resource: Resource,
  { parts, limit }: { parts: readonly string[]; limit: number },
): Promise<Hit[]> {
  if (parts.length === 0) return []
  const selects = parts.map((part, turn) => {
    const holders = scope.engine.search.containing(scope.workspace.id, resource.type, part)
    return sql`select r0.id, ${sql.lit(turn)} as turn, r0.name_key
      from (select record_id from (${holders}) s limit ${sql.unseen(CANDIDATES)}) m
      cross join ${sql.table(resource.type)} r0
      where r0.workspace_id = ${scope.workspace.id} and r0.id = m.record_id and r0.deleted_at is null
      order by r0.name_key, r0.id limit ${sql.unseen(limit)}`
  })
  const query = sql<Hit>`select id, null as value from (${sql.union(selects)}) found
    order by turn, name_key, id`
  return query.all(scope.db)
}
