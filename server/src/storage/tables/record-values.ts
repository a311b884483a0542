import type { FieldDefinition } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { partPattern } from '../engines/like.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { syntaxOf } from '../engines/syntax.ts'

/** How many records are read and rewritten in one batch. A power of two, so that full batches need no padding. */
export const BATCH = 512

/** A record whose values are rewritten. `turn` and `id` are its place in the walk. */
export type ValuesRow = { id: string; turn: string; updated_at: string; custom_fields: string }

/** The place of a walk: after the record with this turn and id. */
type Mark = { turn: string; id: string }

const START: Mark = { turn: '', id: '' }

type Walk<Row extends ValuesRow = ValuesRow> = (inside: Scope, after: Mark) => Promise<Row[]>

/** The next live records that hold an option, locked. */
export function holdersOf(field: FieldDefinition, optionId: string): Walk {
  return (inside, after) =>
    sql<ValuesRow>`select r.id, r.created_at as turn, r.updated_at, r.custom_fields
      from field_values v
      join ${sql.table(field.entity_type)} r on r.workspace_id = v.workspace_id and r.id = v.record_id
      where v.workspace_id = ${inside.workspace.id} and v.field_id = ${field.id} and v.match_key = ${optionId}
      and (v.created_at, v.record_id) > (${after.turn}, ${after.id})
      order by v.created_at, v.record_id limit ${sql.lit(BATCH)} ${locked(inside)}`.all(inside.db)
}

/** The next deleted records of a resource, locked. They are not in the index, so this reads all of them. */
export function deletedOf(resource: ResourceName): Walk {
  return (inside, after) =>
    sql<ValuesRow>`select r.id, r.deleted_at as turn, r.updated_at, r.custom_fields from ${sql.table(resource)} r
      where r.workspace_id = ${inside.workspace.id} and r.deleted_at is not null
      and (r.deleted_at, r.id) > (${after.turn}, ${after.id})
      order by r.deleted_at, r.id limit ${sql.lit(BATCH)} ${locked(inside)}`.all(inside.db)
}

/** The next live records whose stored values include a field, locked: for a field whose index may be incomplete. */
export function keepersOf(field: FieldDefinition): Walk<ValuesRow & { label: string }> {
  const label = sql.ref(`r.${registry[field.entity_type].label}`)
  const part = partPattern(`"${field.key}":`)
  return (inside, after) =>
    sql<ValuesRow & { label: string }>`select r.id, r.created_at as turn, r.updated_at, r.custom_fields,
      ${label} as label from ${sql.table(field.entity_type)} r
      where r.workspace_id = ${inside.workspace.id} and r.deleted_at is null
      and (r.created_at, r.id) > (${after.turn}, ${after.id}) and r.custom_fields like ${part} escape '\\'
      order by r.created_at, r.id limit ${sql.lit(BATCH)} ${locked(inside)}`.all(inside.db)
}

/** Locks the rows of `r`, so that no other transaction writes them before they are rewritten. */
export function locked({ db }: Scope): Sql<unknown> {
  return sql.raw(syntaxOf(db.session).lockForChange('r'))
}

/** Runs a walk to its end, in batches. */
export async function* walked<Row extends ValuesRow>(inside: Scope, walk: Walk<Row>): AsyncGenerator<Row[]> {
  let after: Mark = START
  while (true) {
    const rows = await walk(inside, after)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    if (rows.length < BATCH) return
    after = last
  }
}

type RewrittenValues = { id: string; updated_at: string; custom_fields: string }

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
    where ${table}.workspace_id = ${inside.workspace.id} and ${table}.id = v.column1`.run(inside.db)
}

/** Repeats the last record up to a power of two, so that there are few different statements to prepare. */
function filled(records: readonly RewrittenValues[]): RewrittenValues[] {
  const size = 2 ** Math.ceil(Math.log2(records.length))
  const last = records.slice(-1)
  return [...records, ...Array.from({ length: size - records.length }, () => last).flat()]
}
