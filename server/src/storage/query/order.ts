import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { heldOptions } from '@kith/contract/field-types/choice'
import { type Bounds, ME } from '@kith/contract/filter'
import type { SortKey } from '@kith/contract/list-query'
import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'
import { isOf } from '../tables/numbers.ts'
import type { LightRow, WithFields } from '../tables/records.ts'

/** The order of a list, perhaps read backwards. */
type Direction = { sort: readonly SortKey[]; backwards?: boolean }

/** The requested keys, then the id, so that the order is always total. */
export function orderBy(
  scope: Reader,
  { sort, backwards = false }: Direction,
  columns: KeyColumns = ownKeys,
): Sql<unknown> {
  const keys = sort.map((key) => {
    const descending = key.descending !== backwards
    if (key.by === 'attribute') return directed(columns[sortColumn(key)], descending)
    const value = sql`(${fieldKey(scope, key)})`
    // Records without a value come last in both directions.
    return sql`${directed(sql`${value} is null`, backwards)}, ${directed(value, descending)}`
  })
  return sql.join([...keys, directed(columns.id, backwards)])
}

function directed(expression: Sql<unknown>, descending: boolean): Sql<unknown> {
  return descending ? sql`${expression} desc` : sql`${expression}`
}

type KeyColumn = 'created_at' | 'updated_at' | 'name_key'

/** The columns of the native keys of a row. */
export type KeyColumns = Readonly<Record<KeyColumn | 'id', Sql<unknown>>>

export function keysUnder(alias: string): KeyColumns {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return { created_at: of('created_at'), updated_at: of('updated_at'), name_key: of('name_key'), id: of('id') }
}

/** The record's own, under the alias `r0`. */
export const ownKeys: KeyColumns = keysUnder('r0')

/** The column by which a native key sorts. */
export function sortColumn({ name }: SortKey & { by: 'attribute' }): KeyColumn {
  return name === 'created_at' || name === 'updated_at' ? name : 'name_key'
}

function fieldKey(scope: Reader, { field }: SortKey & { by: 'field' }): Sql<unknown> {
  return sql`select ${sortKey(field)} from field_values v where ${isValueOf(scope, field)} and v.record = r0.number`
}

/** Numbers sort as numbers, and choices by the place of their option, so that moving an option rewrites no record. */
function sortKey(field: FieldDefinition): Sql<unknown> {
  if (!fieldTypes[field.type].hasOptions) return keyColumn(field)
  const places = heldOptions(field).map(({ id }, place) => sql`when ${id} then ${sql.lit(place)}`)
  return places.length === 0 ? sql`v.match_key` : sql`case v.match_key ${sql.join(places, sql` `)} end`
}

/** The column of the index that holds a value. */
export function keyColumn({ type }: FieldDefinition): Sql<unknown> {
  return fieldTypes[type].valueKey === 'number_key' ? sql`v.number_key` : sql`v.match_key`
}

/** The place of a record in an order: the values of its keys, and its id. */
export type Place = { keys: readonly string[]; id: string }

/** A row of a list with the keys of its place. `scan_updated_at`: in a scan, its time of change when the scan began. */
export type ListedRow = WithFields<LightRow> & { name_key: string; scan_updated_at?: string }

/** The place of a row in an order of native keys. */
export function placeOf(row: ListedRow, sort: readonly SortKey[]): Place {
  const inScan = { ...row, updated_at: row.scan_updated_at ?? row.updated_at }
  const keys = sort.map((key) => {
    if (key.by === 'field') throw new Error('A place has no custom fields.')
    return inScan[sortColumn(key)]
  })
  return { keys, id: row.id }
}

/** Whether a row comes after a place (before it, if the list is read backwards). Native keys only. */
export function isBehind(
  { sort, backwards = false }: Direction,
  place: Place,
  columns: KeyColumns = ownKeys,
): Sql<SqlBool> {
  const keys = sort.map((key, index) => {
    if (key.by === 'field') throw new Error('A cursor has no custom fields.')
    const descending = key.descending !== backwards
    return { column: columns[sortColumn(key)], value: place.keys[index] ?? '', descending }
  })
  keys.push({ column: columns.id, value: place.id, descending: backwards })
  const [first] = keys
  if (!first) throw new Error('An order has at least one key.')
  // The bound on the first key alone is implied, and lets an index start at the place.
  const start = first.descending ? sql`${first.column} <= ${first.value}` : sql`${first.column} >= ${first.value}`
  let behind: Sql<SqlBool> = sql`1 = 0`
  for (const { column, value, descending } of keys.reverse()) {
    const further = descending ? sql`${column} < ${value}` : sql`${column} > ${value}`
    behind = sql`(${further} or (${column} = ${value} and ${behind}))`
  }
  return sql`${start} and ${behind}`
}

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

/** The rows `v` of the index with the values of a field. */
export function isValueOf({ workspace }: Reader, { number }: Pick<FieldDefinition, 'number'>): Sql<SqlBool> {
  return sql`v.workspace = ${workspace.number} and v.field = ${number}`
}

/** Ids of members, in which `me` stands for the user of the token. */
export function idsFor({ actor }: Reader, ids: readonly string[]): readonly string[] {
  return ids.includes(ME) ? ids.map((id) => (id === ME ? (actor.user_id ?? '') : id)) : ids
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
export function liveRows(scope: Reader, to: RelatedType, depth: number): Sql<unknown> {
  const name = `r${depth}`
  const alias = sql.raw(name)
  return to === 'users'
    ? sql`from members ${alias} where ${alias}.workspace_id = ${scope.workspace.id}`
    : sql`from records ${alias} where ${isOf(scope, to, name)} and ${alias}.deleted_at is null
        ${scope.engine.hints.andInTime(`${name}.number`)}`
}

/** `from … where` of the live records of a resource, as `r0`, that are the `record` of a set. */
export function liveRowsIn(scope: Reader, resource: ResourceName, set: Sql<unknown>): Sql<unknown> {
  const where = sql`r0.number = matching.record and r0.deleted_at is null`
  return rowsOf(scope, resource, { each: sql`${set} matching`, where })
}

/** `from … where` of the records of a resource, as `r0`, that belong to each of a few rows. */
export function rowsOf(scope: Reader, resource: ResourceName, { each, where }: Record<'each' | 'where', Sql<unknown>>) {
  const ours = sql`${isOf(scope, resource, 'r0')} and ${where}`
  return scope.engine.hints.lookUpEach({ each, table: 'records', alias: 'r0', where: ours })
}
