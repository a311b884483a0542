import type { FieldDefinition } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { partPattern, type Sql, sql } from '../engines/sql.ts'
import { syntaxOf } from '../engines/syntax.ts'

/** How many records are read and rewritten in one batch. */
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
function locked({ db }: Scope): Sql<unknown> {
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

/** Writes the values of records. */
export async function replaceValues(
  { engine, db, workspace }: Scope,
  table: ResourceName,
  records: readonly RewrittenValues[],
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
export function loadNextRows(inside: Scope, resource: ResourceName, after: string): Promise<IndexedRow[]> {
  const label = sql.ref(`r.${registry[resource].label}`)
  return sql<IndexedRow>`
    select r.id, r.created_at, r.deleted_at, ${label} as label, r.name_key,
    r.duplicate_key, r.custom_fields
    from ${sql.table(resource)} r where r.workspace_id = ${inside.workspace.id} and r.id > ${after}
    order by r.id limit ${sql.lit(BATCH)} ${locked(inside)}`.all(inside.db)
}

/** Prevents changes of the workspace's fields until the transaction ends. */
export async function holdFields(inside: Scope): Promise<void> {
  await sql`update workspaces set fields_version = fields_version where id = ${inside.workspace.id}`.run(inside.db)
}

/** Removes from the index what belongs to none of these fields or to no live record. */
export async function sweepValues(inside: Scope, fields: readonly FieldDefinition[]): Promise<void> {
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
export function loadDrift(inside: Scope, resource: ResourceName): Promise<number> {
  const { id } = inside.workspace
  return sql`select (
      select count(*) from ${sql.table(resource)} where workspace_id = ${id} and deleted_at is null)
    - (select coalesce(sum(live), 0) from record_counts
      where workspace_id = ${id} and resource = ${resource}) as drift`.count(inside.db)
}
