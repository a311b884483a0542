import type { FieldDefinition } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { BATCH, locked } from './record-values.ts'

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
