import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Tenant } from '../engines/engine.ts'
import { partPattern, type Sql, sql, syntaxOf } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

const keys = ['match_key', 'number_key', 'host_key', 'exact']

const names = ['workspace_id', 'record_id', 'field_id', 'place', ...keys, 'created_at']

const into = { table: 'field_values', columns: columnsOf(names, ['place', 'number_key']) }

/** The only function that derives the index rows of records from their values. */
export function insertValues(
  inside: Tenant,
  records: readonly {
    id: string
    created_at: string
    values: Iterable<readonly [FieldDefinition, StoredValue]>
  }[],
): Promise<void> {
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
  inside: Tenant,
  removed: readonly { record_id: string; field_id: string }[],
): Promise<void> {
  if (removed.length === 0) return
  const named = removed.map(({ record_id, field_id }) => `${record_id} ${field_id}`)
  await sql`delete from field_values where workspace_id = ${inside.workspace.id}
    and record_id ${sql.among([...new Set(removed.map((one) => one.record_id))])}
    and record_id || ' ' || field_id ${sql.among(named)}`.run(inside.db)
}

/** Removes all values of some records from the index. */
export async function removeValuesOf(inside: Tenant, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`delete from field_values
    where workspace_id = ${inside.workspace.id} and record_id ${sql.among(recordIds)}`.run(inside.db)
}

/** How many live records hold an option of a field. */
export function countOptionHolders(inside: Tenant, fieldId: string, optionId: string): Promise<number> {
  return sql`select count(*) as n from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${fieldId} and match_key = ${optionId}`.count(inside.db)
}

/** How many live records hold a value of each field. Reads the whole index of the workspace: for small ones. */
export async function loadHolderCounts(scope: Tenant): Promise<Map<string, number>> {
  const rows = await sql<{ field_id: string; records: number }>`
    select field_id, count(distinct record_id) as records from field_values
    where workspace_id = ${scope.workspace.id} group by field_id`.all(scope.db)
  return new Map(rows.map(({ field_id, records }) => [field_id, records]))
}

/** A new value of a unique field. */
export type Claim = { field: FieldDefinition; key: string | number }

/** Those of the claims that a live record other than these already holds. */
export async function findTaken(
  inside: Tenant,
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
  inside: Tenant,
  claims: readonly Claim[],
): Promise<(claim: Claim) => readonly string[]> {
  if (claims.length === 0) return () => []
  const parts = [...Map.groupBy(claims, (claim) => claim.field)].map(([field, own]) => holding(inside, field, own))
  const rows = await sql<{
    field_id: string
    match_key: string | null
    number_key: number | null
    record_id: string
  }>`${sql.join(parts, sql` union all `)}`.all(inside.db)
  const nameOf = (fieldId: string, key: string | number | null) => `${fieldId} ${key}`
  const held = Map.groupBy(rows, (row) => nameOf(row.field_id, row.match_key ?? row.number_key))
  return ({ field, key }) => {
    const ids = held.get(nameOf(field.id, key))?.map((row) => row.record_id) ?? []
    return [...new Set(ids)].sort()
  }
}

/** Selects only columns of one index: SQLite would read the whole table of the workspace otherwise. */
function holding(inside: Tenant, field: FieldDefinition, claims: readonly Claim[]) {
  const isNumber = typeof claims[0]?.key === 'number'
  const shown = isNumber
    ? sql`cast(null as text) as match_key, number_key`
    : sql`match_key, cast(null as double precision) as number_key`
  const column = isNumber ? sql`number_key` : sql`match_key`
  return sql`select field_id, ${shown}, record_id from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${field.id}
    and ${column} ${sql.among(claims.map((claim) => claim.key))}`
}

/** How many records are read and rewritten in one transaction: so few that other writers hardly wait. */
export const BATCH = 256

/** A record whose values are rewritten. */
export type ValuesRow = { id: string; created_at: string; updated_at: string; label: string; custom_fields: string }

/** Some of the live records that hold an option, locked. */
export function loadOptionHolders(inside: Tenant, field: FieldDefinition, optionId: string): Promise<ValuesRow[]> {
  const holders = sql`select record_id from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${field.id} and match_key = ${optionId}
    limit ${sql.lit(BATCH)}`
  return valuesRows(inside, field, sql`r.id in (${holders})`)
}

/** Those of the next records of a resource that are live and hold a field, locked, and where to continue. */
export async function loadNextKeepers(
  inside: Tenant,
  field: FieldDefinition,
  after: string,
): Promise<{ rows: ValuesRow[]; last: string | undefined }> {
  const last = await sql<string>`select id from ${sql.table(field.entity_type)}
    where workspace_id = ${inside.workspace.id} and id > ${after}
    order by id limit 1 offset ${sql.lit(BATCH - 1)}`.value(inside.db)
  const range = last === undefined ? sql`r.id > ${after}` : sql`r.id > ${after} and r.id <= ${last}`
  const keepers = sql`${range} and r.deleted_at is null
    and r.custom_fields like ${partPattern(`"${field.key}":`)} escape '\\'`
  return { rows: await valuesRows(inside, field, keepers), last }
}

function valuesRows(inside: Tenant, { entity_type }: FieldDefinition, where: Sql<unknown>): Promise<ValuesRow[]> {
  const label = sql.ref(`r.${registry[entity_type].label}`)
  return sql<ValuesRow>`select r.id, r.created_at, r.updated_at, ${label} as label, r.custom_fields
    from ${sql.table(entity_type)} r where r.workspace_id = ${inside.workspace.id} and ${where}
    order by r.id ${locked(inside)}`.all(inside.db)
}

/** Locks the rows of `r`, so that no other transaction writes them before they are rewritten. */
function locked({ db }: Tenant): Sql<unknown> {
  return sql.raw(syntaxOf(db.session).lockForChange('r'))
}

/** Writes the values of records. */
export async function replaceValues(
  { engine, db, workspace }: Tenant,
  table: ResourceName,
  records: readonly { id: string; updated_at: string; custom_fields: string }[],
): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(({ id, updated_at, custom_fields }) => [id, updated_at, custom_fields])
  await engine.updateRows(db, { table, columns: ['updated_at', 'custom_fields'], workspaceId: workspace.id }, rows)
}

/** A record with everything its part of the index is derived from. */
export type IndexedRow = {
  id: string
  created_at: string
  deleted_at: string | null
  label: string
  name_key: string
  duplicate_key: string
  custom_fields: string
}

/** The next records of a resource, including deleted ones, locked. */
export function loadNextRows(inside: Tenant, resource: ResourceName, after: string): Promise<IndexedRow[]> {
  const label = sql.ref(`r.${registry[resource].label}`)
  return sql<IndexedRow>`
    select r.id, r.created_at, r.deleted_at, ${label} as label, r.name_key,
    r.duplicate_key, r.custom_fields
    from ${sql.table(resource)} r where r.workspace_id = ${inside.workspace.id} and r.id > ${after}
    order by r.id limit ${sql.lit(BATCH)} ${locked(inside)}`.all(inside.db)
}

/** Prevents changes of the workspace's fields until the transaction ends. */
export async function holdFields(inside: Tenant): Promise<void> {
  await sql`update workspaces set fields_version = fields_version where id = ${inside.workspace.id}`.run(inside.db)
}

/** Removes index entries that belong to none of these fields or to no live record. */
export async function deleteOtherValues(inside: Tenant, fields: readonly FieldDefinition[]): Promise<void> {
  const others = fields.length === 0 ? sql`` : sql`and field_id not in (${sql.join(fields.map((field) => field.id))})`
  await sql`delete from field_values where workspace_id = ${inside.workspace.id} ${others}`.run(inside.db)
  for (const resource of resourceNames) {
    const own = fields.filter((field) => field.entity_type === resource).map((field) => field.id)
    if (own.length === 0) continue
    const values = sql`field_values where workspace_id = ${inside.workspace.id} and field_id in (${sql.join(own)})`
    // Found first and by `except`, which does not depend on good statistics.
    await sql`
      with stray as materialized (
        select record_id from ${values}
        except select id from ${sql.table(resource)} where workspace_id = ${inside.workspace.id} and deleted_at is null)
      delete from ${values} and record_id in (select record_id from stray)`.run(inside.db)
  }
}

/**
 * How many more live records there are than `record_counts` says. One statement, so that concurrent writes don't show.
 */
export function loadDrift(inside: Tenant, resource: ResourceName): Promise<number> {
  const { id } = inside.workspace
  return sql`select (
      select count(*) from ${sql.table(resource)} where workspace_id = ${id} and deleted_at is null)
    - (select coalesce(sum(live), 0) from record_counts
      where workspace_id = ${id} and resource = ${resource}) as drift`.count(inside.db)
}
