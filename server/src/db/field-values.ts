import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { MATCHES_MAX } from '@kith/contract/limits'
import type { Scope } from '../scope.ts'
import type { Column, Db, Engine } from './engine.ts'
import { fixed } from './fixed.ts'
import { sql } from './sql.ts'

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
  const asked = claims.map(({ field, key }) =>
    typeof key === 'number'
      ? sql`(field_id = ${field.id} and number_key = ${key})`
      : sql`(field_id = ${field.id} and match_key = ${key})`,
  )
  const others = except.length === 0 ? sql`1 = 1` : sql`record_id not in (${sql.join(except)})`
  const { rows } = await sql<Holding>`
    select field_id, match_key, number_key, record_id from field_values
    where workspace_id = ${inside.workspace.id} and ${others} and (${sql.join(asked, sql` or `)})
    order by record_id`.execute(inside.db)
  return claims.flatMap((claim) => {
    const row = rows.find((one) => meets(one, claim))
    return row ? [{ ...claim, record_id: row.record_id }] : []
  })
}

type Holding = { field_id: string; match_key: string | null; number_key: number | null; record_id: string }

function meets(row: Holding, { field, key }: Claim): boolean {
  return row.field_id === field.id && (row.match_key === key || row.number_key === key)
}

const holders = fixed<{ record_id: string }>(
  `select record_id from field_values where workspace_id = ? and field_id = ? and match_key = ?
   group by created_at, record_id order by created_at, record_id limit ${MATCHES_MAX + 1}`,
)

/** The live records that hold a value, oldest first: one more than are told of. */
export async function findHolders(scope: Scope, field: FieldDefinition, key: string): Promise<string[]> {
  const rows = await holders(scope.db, [scope.workspace.id, field.id, key])
  return rows.map((row) => row.record_id)
}
