import type { FieldDefinition } from '@kith/contract/field-definition'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'
import { partPattern } from '../engines/like.ts'
import { sql } from '../engines/sql.ts'

/** How many records are read and rewritten together. A power of two, so that full batches need no filling. */
export const BATCH = 512

/** A record as whoever rewrites its values needs it. `turn` says how far a walk through the records has come. */
export type ValuesRow = { id: string; turn: string; updated_at: string; custom_fields: string }

/** Where a walk stands: after the record of this turn and id. */
export type Mark = { turn: string; id: string }

export const START: Mark = { turn: '', id: '' }

type Walk = (inside: Scope, after: Mark) => Promise<ValuesRow[]>

const holders = perTable(
  (table) =>
    `select r.id, r.created_at as turn, r.updated_at, r.custom_fields
     from field_values v join ${table} r on r.workspace_id = v.workspace_id and r.id = v.record_id
     where v.workspace_id = ? and v.field_id = ? and v.match_key = ? and (v.created_at, v.record_id) > (?, ?)
     order by v.created_at, v.record_id limit ${BATCH}`,
)

/** The next live records that hold an option, locked. */
export function holdersOf(field: FieldDefinition, optionId: string): Walk {
  return (inside, after) =>
    holders(inside, field.entity_type, [inside.workspace.id, field.id, optionId, after.turn, after.id])
}

const deleted = perTable(
  (table) =>
    `select r.id, r.deleted_at as turn, r.updated_at, r.custom_fields from ${table} r
     where r.workspace_id = ? and r.deleted_at is not null and (r.deleted_at, r.id) > (?, ?)
     order by r.deleted_at, r.id limit ${BATCH}`,
)

/** The next deleted records of a resource, locked. The index does not know them, so they are all walked through. */
export function deletedOf(resource: ResourceName): Walk {
  return (inside, after) => deleted(inside, resource, [inside.workspace.id, after.turn, after.id])
}

const keepers = perTable(
  (table) =>
    `select r.id, r.created_at as turn, r.updated_at, r.custom_fields from ${table} r
     where r.workspace_id = ? and r.deleted_at is null and (r.created_at, r.id) > (?, ?)
     and r.custom_fields like ? escape '\\'
     order by r.created_at, r.id limit ${BATCH}`,
)

/** The next live records whose stored values name a field, locked: for a field whose index may be incomplete. */
export function keepersOf(field: FieldDefinition): Walk {
  const part = partPattern(`"${field.key}":`)
  return (inside, after) => keepers(inside, field.entity_type, [inside.workspace.id, after.turn, after.id, part])
}

/** Walks to the end in batches. */
export async function* walked(inside: Scope, walk: Walk): AsyncGenerator<ValuesRow[]> {
  let after = START
  while (true) {
    const rows = await walk(inside, after)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    if (rows.length < BATCH) return
    after = last
  }
}

export type RewrittenValues = { id: string; updated_at: string; custom_fields: string }

/** Writes the values of up to a batch of records with one statement. */
export async function replaceValues(
  inside: Scope,
  resource: ResourceName,
  records: readonly RewrittenValues[],
): Promise<void> {
  if (records.length === 0) return
  const rows = filled(records).map((record) => sql`(${record.id}, ${record.updated_at}, ${record.custom_fields})`)
  const table = sql.table(resource)
  await sql`
    update ${table} set updated_at = v.column2, custom_fields = v.column3 from (values ${sql.join(rows)}) as v
    where ${table}.workspace_id = ${inside.workspace.id} and ${table}.id = v.column1`.execute(inside.db)
}

/** Repeats the last record up to a power of two, so that the databases need to know few forms of the statement. */
function filled(records: readonly RewrittenValues[]): RewrittenValues[] {
  const size = 2 ** Math.ceil(Math.log2(records.length))
  const last = records.slice(-1)
  return [...records, ...Array.from({ length: size - records.length }, () => last).flat()]
}

/** A statement for each record table. It locks the rows, so that no other transaction writes them before they are rewritten. */
export function perTable<Row = ValuesRow>(text: (table: ResourceName) => string) {
  const statements = new Map(
    resourceNames.map((table) => [table, fixed<Row>(({ lockForChange }) => `${text(table)} ${lockForChange('r')}`)]),
  )
  return async (inside: Scope, table: ResourceName, parameters: readonly unknown[]): Promise<Row[]> =>
    (await statements.get(table)?.(inside.db, parameters)) ?? []
}
