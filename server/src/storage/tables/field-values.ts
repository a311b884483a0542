import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

const keys = ['match_key', 'number_key', 'host_key', 'exact']
const names = ['workspace_id', 'record_id', 'field_id', 'place', ...keys, 'created_at']
const into = { table: 'field_values', columns: columnsOf(names, ['place', 'number_key']) }

type IndexedRecord = {
  id: string
  created_at: string
  values: Iterable<readonly [FieldDefinition, StoredValue]>
}

/** The only function that derives the index rows of records from their values. */
export function insertValues(inside: Scope, records: readonly IndexedRecord[]): Promise<void> {
  const rows: unknown[][] = []
  for (const { id, created_at, values } of records) {
    for (const [field, stored] of values) {
      fieldTypes[field.type].index(stored, field).forEach(({ match_key, number_key, host_key, exact }, place) => {
        rows.push([inside.workspace.id, id, field.id, place, match_key, number_key, host_key, exact, created_at])
      })
    }
  }
  return inside.engine.insertRows(inside.db, into, rows)
}

/** Removes the values of some fields from the index, of any number of records. */
export async function removeValues(
  inside: Scope,
  removed: readonly { record_id: string; field_id: string }[],
): Promise<void> {
  if (removed.length === 0) return
  const named = removed.map(({ record_id, field_id }) => `${record_id} ${field_id}`)
  await sql`delete from field_values where workspace_id = ${inside.workspace.id}
    and record_id ${sql.among([...new Set(removed.map((one) => one.record_id))])}
    and record_id || ' ' || field_id ${sql.among(named)}`.run(inside.db)
}

/** Removes all values of some records from the index. */
export async function removeValuesOf(inside: Scope, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`delete from field_values
    where workspace_id = ${inside.workspace.id} and record_id ${sql.among(recordIds)}`.run(inside.db)
}

/** Removes all values of a field from the index. */
export async function removeFieldValues(inside: Scope, fieldId: string): Promise<void> {
  await sql`delete from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${fieldId}`.run(inside.db)
}

/** Removes an option of a field from the index. */
export async function removeOptionValues(inside: Scope, fieldId: string, optionId: string): Promise<void> {
  await sql`delete from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${fieldId} and match_key = ${optionId}`.run(inside.db)
}

/** Replaces the sort key of an option of a single choice in the index. */
export async function replaceOptionPlace(
  inside: Scope,
  fieldId: string,
  option: { id: string; place: number },
): Promise<void> {
  await sql`update field_values set number_key = ${option.place}
    where workspace_id = ${inside.workspace.id} and field_id = ${fieldId} and match_key = ${option.id}`.run(inside.db)
}

/** How many live records hold a value of each field. Reads the whole index of the workspace: for small ones. */
export async function loadHolderCounts(scope: Scope): Promise<Map<string, number>> {
  const rows = await sql<{ field_id: string; records: number }>`
    select field_id, count(distinct record_id) as records from field_values
    where workspace_id = ${scope.workspace.id} group by field_id`.all(scope.db)
  return new Map(rows.map(({ field_id, records }) => [field_id, records]))
}

/** A new value of a unique field. */
export type Claim = { field: FieldDefinition; key: string | number }

/** A claim that another record already holds. */
type TakenClaim = Claim & { record_id: string }

/** Those of the claims that a live record other than these already holds. */
export async function findTaken(
  inside: Scope,
  claims: readonly Claim[],
  except: readonly string[],
): Promise<TakenClaim[]> {
  const others = new Set(except)
  const holders = await loadHolders(inside, claims)
  return claims.flatMap((claim) => {
    const [first] = holders(claim).filter((id) => !others.has(id))
    return first === undefined ? [] : [{ ...claim, record_id: first }]
  })
}

type Holding = { field_id: string; match_key: string | null; number_key: number | null; record_id: string }

/** The live records that hold each of the claims, by id: one statement for all claims. */
export async function loadHolders(
  inside: Scope,
  claims: readonly Claim[],
): Promise<(claim: Claim) => readonly string[]> {
  if (claims.length === 0) return () => []
  const parts = [...Map.groupBy(claims, (claim) => claim.field)].map(([field, own]) => holding(inside, field, own))
  const rows = await sql<Holding>`${sql.join(parts, sql` union all `)}`.all(inside.db)
  const nameOf = (fieldId: string, key: string | number | null) => `${fieldId} ${key}`
  const held = Map.groupBy(rows, (row) => nameOf(row.field_id, row.match_key ?? row.number_key))
  return ({ field, key }) => {
    const ids = held.get(nameOf(field.id, key))?.map((row) => row.record_id) ?? []
    return [...new Set(ids)].sort()
  }
}

/** Selects only columns of one index: SQLite would read the whole table of the workspace otherwise. */
function holding(inside: Scope, field: FieldDefinition, claims: readonly Claim[]) {
  const isNumber = typeof claims[0]?.key === 'number'
  const shown = isNumber
    ? sql`cast(null as text) as match_key, number_key`
    : sql`match_key, cast(null as double precision) as number_key`
  const column = isNumber ? sql`number_key` : sql`match_key`
  return sql`select field_id, ${shown}, record_id from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${field.id}
    and ${column} ${sql.among(claims.map((claim) => claim.key))}`
}
