import { fieldTypes } from '@kith/contract/field-types'
import type { SortKey } from '@kith/contract/list-query'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'
import type { LightRow, WithFields } from '../tables/records.ts'

/** The order of a list, perhaps read backwards. */
type Direction = { sort: readonly SortKey[]; backwards?: boolean }

/** The requested keys, then the id, so that the order is always total. */
export function orderBy(
  scope: Scope,
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

function fieldKey(scope: Scope, { field }: SortKey & { by: 'field' }): Sql<unknown> {
  const column = sortsByNumber(field.type) ? sql`v.number_key` : sql`v.match_key`
  return sql`select ${column} from field_values v where v.workspace_id = ${scope.workspace.id}
    and v.record_id = r0.id and v.field_id = ${field.id}`
}

/** Numbers sort as numbers, and choices by the position of their option, which the index has as a number. */
export function sortsByNumber(type: keyof typeof fieldTypes): boolean {
  const { valueKey, sortKey = valueKey } = fieldTypes[type]
  return sortKey === 'number_key'
}

/** The place of a record in an order: the values of its keys, and its id. */
export type Place = { keys: readonly string[]; id: string }

/** A row of a list with the keys of its place. `walk_updated_at`: in a walk, its time of change when the walk began. */
export type ListedRow = WithFields<LightRow> & { name_key: string; walk_updated_at?: string }

/** The place of a row in an order of native keys. */
export function placeOf(row: ListedRow, sort: readonly SortKey[]): Place {
  const inWalk = { ...row, updated_at: row.walk_updated_at ?? row.updated_at }
  const keys = sort.map((key) => {
    if (key.by === 'field') throw new Error('A place has no custom fields.')
    return inWalk[sortColumn(key)]
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
