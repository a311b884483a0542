import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import type { Column } from '../engines/stored-table.ts'

const columns: readonly Column[] = [
  { name: 'workspace_id', type: 'text' },
  { name: 'record_id', type: 'text' },
  { name: 'field_id', type: 'text' },
  { name: 'place', type: 'number' },
  { name: 'match_key', type: 'text' },
  { name: 'number_key', type: 'number' },
  { name: 'host_key', type: 'text' },
  { name: 'exact', type: 'text' },
  { name: 'created_at', type: 'text' },
]

export type IndexedRecord = {
  id: string
  created_at: string
  values: Iterable<readonly [FieldDefinition, StoredValue]>
}

/** The one place that says which rows of the index stand for a record's values. */
export function valueRows(workspaceId: string, record: IndexedRecord): unknown[][] {
  const rows: unknown[][] = []
  for (const [field, stored] of record.values) {
    fieldTypes[field.type].index(stored, field).forEach(({ match_key, number_key, host_key, exact }, place) => {
      rows.push([workspaceId, record.id, field.id, place, match_key, number_key, host_key, exact, record.created_at])
    })
  }
  return rows
}

export function insertValues(inside: { engine: Engine; db: Db }, rows: readonly (readonly unknown[])[]): Promise<void> {
  return inside.engine.insertRows(inside.db, 'field_values', columns, rows)
}

export async function removeValues(inside: Scope, recordId: string, fieldIds: readonly string[]): Promise<void> {
  if (fieldIds.length === 0) return
  await sql`delete from field_values where workspace_id = ${inside.workspace.id} and record_id = ${recordId}
    and field_id in (${sql.join(fieldIds)})`.execute(inside.db)
}

const removedAll = fixed('delete from field_values where workspace_id = ? and record_id = ?')

export async function removeAllValues(inside: Scope, recordId: string): Promise<void> {
  await removedAll(inside.db, [inside.workspace.id, recordId])
}

/** A value that a unique field is about to take. */
export type Claim = { field: FieldDefinition; key: string | number }

/** A claim that cannot be met, and the record that stands in its way. */
export type TakenClaim = Claim & { record_id: string }

/** Those of the claims that a live record other than these already holds. */
export async function findTaken(
  inside: Scope,
  claims: readonly Claim[],
  except: readonly string[],
): Promise<TakenClaim[]> {
  if (claims.length === 0) return []
  const byField = [...Map.groupBy(claims, (claim) => claim.field)]
  const parts = byField.map(([field, own]) => holding(inside, field, own, except))
  const { rows } = await sql<Holding>`${sql.join(parts, sql` union all `)}`.execute(inside.db)
  return claims.flatMap((claim) => {
    const held = rows.filter(
      (row) => row.field_id === claim.field.id && (row.match_key ?? row.number_key) === claim.key,
    )
    const [first] = held.map((row) => row.record_id).sort()
    return first === undefined ? [] : [{ ...claim, record_id: first }]
  })
}

type Holding = { field_id: string; match_key: string | null; number_key: number | null; record_id: string }

/** Asks for no more than one index holds: SQLite would else walk through all values of the workspace, where they stand whole. */
function holding(inside: Scope, field: FieldDefinition, claims: readonly Claim[], except: readonly string[]) {
  const isNumber = typeof claims[0]?.key === 'number'
  const shown = isNumber
    ? sql`cast(null as text) as match_key, number_key`
    : sql`match_key, cast(null as double precision) as number_key`
  const column = isNumber ? sql`number_key` : sql`match_key`
  const others = except.length === 0 ? sql`` : sql`and record_id not in (${sql.join(except)})`
  return sql`select field_id, ${shown}, record_id from field_values
    where workspace_id = ${inside.workspace.id} and field_id = ${field.id}
    and ${column} in (${sql.join(claims.map((claim) => claim.key))}) ${others}`
}
