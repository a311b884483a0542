import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import type { RecordTenant, Tenant } from '../engines/engine.ts'
import { partPattern, type Sql, sql, syntaxOf } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { isOf } from './numbers.ts'

const numbers = ['workspace', 'record', 'field', 'place', 'number_key']

const names = ['workspace', 'record', 'field', 'place', 'match_key', 'number_key', 'host_key', 'exact', 'created_at']

const into = { table: 'field_values', columns: columnsOf(names, numbers) }

/** The only function that derives the index rows of records from their values. */
export function insertValues(
  inside: RecordTenant,
  records: readonly {
    number: number
    created_at: string
    values: Iterable<readonly [FieldDefinition, StoredValue]>
  }[],
): Promise<void> {
  const rows: unknown[][] = []
  for (const { number, created_at, values } of records) {
    for (const [field, stored] of values) {
      const entries = fieldTypes[field.type].index(stored, field)
      for (const [place, { match_key, number_key, host_key, exact }] of entries.entries()) {
        rows.push([
          inside.workspace.number,
          number,
          field.number,
          place,
          match_key,
          number_key,
          host_key,
          exact,
          created_at,
        ])
      }
    }
  }
  return inside.engine.insertRows(inside.db, into, rows)
}

/** Removes the values of some fields from the index, of any number of records. */
export async function removeValues(
  inside: RecordTenant,
  removed: readonly { record: number; field: number }[],
): Promise<void> {
  if (removed.length === 0) return
  const named = removed.map(({ record, field }) => `${record} ${field}`)
  await sql`delete from field_values where workspace = ${inside.workspace.number}
    and record ${sql.amongNumbers([...new Set(removed.map((one) => one.record))])}
    and record || ' ' || field ${sql.among(named)}`.run(inside.db)
}

/** Removes all values of some records from the index. */
export async function removeValuesOf(inside: RecordTenant, records: readonly number[]): Promise<void> {
  if (records.length === 0) return
  await sql`delete from field_values
    where workspace = ${inside.workspace.number} and record ${sql.amongNumbers(records)}`.run(inside.db)
}

/** How many live records hold an option of a field. */
export function countOptionHolders(inside: RecordTenant, field: number, optionId: string): Promise<number> {
  return sql`select count(*) as n from field_values
    where workspace = ${inside.workspace.number} and field = ${field} and match_key = ${optionId}`.count(inside.db)
}

/** How many live records hold a value of each field. Reads the whole index of the workspace: for small ones. */
export async function loadHolderCounts(scope: RecordTenant): Promise<Map<number, number>> {
  const rows = await sql<{ field: number; records: number }>`
    select field, count(distinct record) as records from field_values
    where workspace = ${scope.workspace.number} group by field`.all(scope.db)
  return new Map(rows.map(({ field, records }) => [field, records]))
}

/** A new value of a unique field. */
export type Claim = { field: FieldDefinition; key: string | number }

/** Those of the claims that a live record other than these already holds. */
export async function findTaken(
  inside: RecordTenant,
  claims: readonly Claim[],
  except: readonly string[],
): Promise<(Claim & { record_id: string })[]> {
  const others = new Set(except)
  const holders = await loadHolders(inside, claims)
  return claims.flatMap((claim) => {
    const [first] = holders(claim).filter((id) => !others.has(id))
    return first === undefined ? [] : [{ ...claim, record_id: first }]
  })
}

/** The live records that hold each of the claims, by id: one statement for all claims. */
export async function loadHolders(
  inside: RecordTenant,
  claims: readonly Claim[],
): Promise<(claim: Claim) => readonly string[]> {
  if (claims.length === 0) return () => []
  const parts = [...Map.groupBy(claims, (claim) => claim.field)].map(([field, own]) => holding(inside, field, own))
  const rows = await sql<{
    field: number
    match_key: string | null
    number_key: number | null
    record_id: string
  }>`select v.field, v.match_key, v.number_key, r.id as record_id from (${sql.join(parts, sql` union all `)}) v
    cross join records r where r.workspace = ${inside.workspace.number} and r.number = v.record`.all(inside.db)
  if (rows.length === 0) return () => []
  const nameOf = (field: number, key: string | number | null) => `${field} ${key}`
  const held = Map.groupBy(rows, (row) => nameOf(row.field, row.match_key ?? row.number_key))
  return ({ field, key }) => {
    const ids = held.get(nameOf(field.number, key))?.map((row) => row.record_id) ?? []
    return [...new Set(ids)].sort()
  }
}

/** Selects only columns of one index: SQLite would read the whole table of the workspace otherwise. */
function holding(inside: RecordTenant, field: FieldDefinition, claims: readonly Claim[]) {
  const isNumber = typeof claims[0]?.key === 'number'
  const shown = isNumber
    ? sql`cast(null as text) as match_key, number_key`
    : sql`match_key, cast(null as double precision) as number_key`
  const column = isNumber ? sql`number_key` : sql`match_key`
  return sql`select field, ${shown}, record from field_values
    where workspace = ${inside.workspace.number} and field = ${field.number}
    and ${column} ${sql.among(claims.map((claim) => claim.key))}`
}

/** How many records are read and rewritten in one transaction: so few that other writers hardly wait. */
export const BATCH = 256

/** A record whose values are rewritten. */
export type ValuesRow = {
  number: number
  id: string
  created_at: string
  updated_at: string
  label: string
  custom_fields: string
}

/** Some of the live records that hold an option, locked. */
export function loadOptionHolders(
  inside: RecordTenant,
  field: FieldDefinition,
  optionId: string,
): Promise<ValuesRow[]> {
  const holders = sql`select record from field_values
    where workspace = ${inside.workspace.number} and field = ${field.number} and match_key = ${optionId}
    limit ${sql.lit(BATCH)}`
  return valuesRows(inside, field, sql`r.number in (${holders})`)
}

/** Those of the next records of a resource that are live and hold a field, locked, and where to continue. */
export async function loadNextKeepers(
  inside: RecordTenant,
  field: FieldDefinition,
  after: string,
): Promise<{ rows: ValuesRow[]; last: string | undefined }> {
  const last = await sql<string>`select r.id from records r
    where ${isOf(inside, field.entity_type, 'r')} and r.id > ${after}
    order by r.id limit 1 offset ${sql.lit(BATCH - 1)}`.value(inside.db)
  const range = last === undefined ? sql`r.id > ${after}` : sql`r.id > ${after} and r.id <= ${last}`
  const keepers = sql`${range} and r.deleted_at is null
    and r.custom_fields like ${partPattern(`"${field.key}":`)} escape '\\'`
  return { rows: await valuesRows(inside, field, keepers), last }
}

function valuesRows(inside: RecordTenant, { entity_type }: FieldDefinition, where: Sql<unknown>): Promise<ValuesRow[]> {
  return sql<ValuesRow>`select r.number, r.id, r.created_at, r.updated_at, r.name as label, r.custom_fields
    from records r where ${isOf(inside, entity_type, 'r')} and ${where}
    order by r.id ${locked(inside)}`.all(inside.db)
}

/** Locks the rows of `r`, so that no other transaction writes them before they are rewritten. */
function locked({ db }: Tenant): Sql<unknown> {
  return sql.raw(syntaxOf(db.session).lockForChange('r'))
}

export async function replaceValues(
  { engine, db, workspace }: RecordTenant,
  records: readonly { number: number; updated_at: string; custom_fields: string }[],
): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(({ number, updated_at, custom_fields }) => [number, updated_at, custom_fields])
  const columns = ['updated_at', 'custom_fields']
  await engine.updateRecords(db, { columns, workspace: workspace.number }, rows)
}

/** A record with everything its part of the index is derived from. */
export type IndexedRow = {
  number: number
  id: string
  created_at: string
  deleted_at: string | null
  label: string
  name_key: string
  duplicate_key: string
  custom_fields: string
}

/** The next records of a resource, including deleted ones, locked. */
export function loadNextRows(inside: RecordTenant, resource: ResourceName, after: string): Promise<IndexedRow[]> {
  return sql<IndexedRow>`
    select r.number, r.id, r.created_at, r.deleted_at, r.name as label, r.name_key, r.duplicate_key, r.custom_fields
    from records r where ${isOf(inside, resource, 'r')} and r.id > ${after}
    order by r.id limit ${sql.lit(BATCH)} ${locked(inside)}`.all(inside.db)
}

/** Prevents changes of the workspace's fields until the transaction ends. */
export async function holdFields(inside: Tenant): Promise<void> {
  await sql`update workspaces set fields_version = fields_version where id = ${inside.workspace.id}`.run(inside.db)
}

/** Removes index entries that belong to none of these fields or to no live record. */
export async function deleteOtherValues(inside: RecordTenant, fields: readonly FieldDefinition[]): Promise<void> {
  const ours = sql`workspace = ${inside.workspace.number}`
  const others = fields.length === 0 ? sql`` : sql`and field not in (${sql.join(fields.map(({ number }) => number))})`
  await sql`delete from field_values where ${ours} ${others}`.run(inside.db)
  if (fields.length === 0) return
  // Found first and by `except`, which does not depend on good statistics.
  await sql`
    with stray as materialized (
      select record from field_values where ${ours}
      except select number from records where ${ours} and deleted_at is null)
    delete from field_values where ${ours} and record in (select record from stray)`.run(inside.db)
}

/**
 * How many more live records there are than `record_counts` says. One statement, so that concurrent writes don't show.
 */
export function loadDrift(inside: RecordTenant, resource: ResourceName): Promise<number> {
  return sql`select (
      select count(*) from records r where ${isOf(inside, resource, 'r')} and r.deleted_at is null)
    - (select coalesce(sum(live), 0) from record_counts
      where workspace_id = ${inside.workspace.id} and resource = ${resource}) as drift`.count(inside.db)
}
