import type { FieldDefinition } from '@kith/contract/field-definition'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import { BATCH, perTable } from './record-values.ts'

/** A record with all that its part of the index is derived from. */
export type IndexedRow = {
  id: string
  created_at: string
  deleted_at: string | null
  label: string
  name_key: string
  custom_fields: string
}

const next = perTable<IndexedRow>((table) => {
  const { label } = registry[table]
  return `select r.id, r.created_at, r.deleted_at, r.${label} as label, r.name_key, r.custom_fields from ${table} r
    where r.workspace_id = ? and r.id > ? order by r.id limit ${BATCH}`
})

/** The next records of a resource, deleted ones among them, locked. */
export function loadNextRows(inside: Scope, resource: ResourceName, after: string): Promise<IndexedRow[]> {
  return next(inside, resource, [inside.workspace.id, after])
}

const held = fixed('update workspaces set fields_version = fields_version where id = ?')

/** Lets nobody change the workspace's fields until the transaction ends. */
export async function holdFields(inside: Scope): Promise<void> {
  await held(inside.db, [inside.workspace.id])
}

/** Takes all values of some records out of the index. */
export async function removeValuesOf(inside: Scope, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await inside.db.query
    .deleteFrom('field_values')
    .where('workspace_id', '=', inside.workspace.id)
    .where('record_id', 'in', recordIds)
    .execute()
}

/** Takes out of the index what belongs to none of these fields, and what belongs to no live record. */
export async function sweepValues(inside: Scope, fields: readonly FieldDefinition[]): Promise<void> {
  const ids = fields.map((field) => field.id)
  await inside.db.query
    .deleteFrom('field_values')
    .where('workspace_id', '=', inside.workspace.id)
    .where('field_id', 'not in', ids)
    .execute()
  for (const resource of resourceNames) {
    const own = fields.filter((field) => field.entity_type === resource).map((field) => field.id)
    if (own.length === 0) continue
    const values = sql`field_values where workspace_id = ${inside.workspace.id} and field_id in (${sql.join(own)})`
    // Found first and by `except`, which takes no longer when the database has a wrong idea of how much there is.
    await sql`
      with stray as materialized (
        select record_id from ${values}
        except select id from ${sql.table(resource)} where workspace_id = ${inside.workspace.id} and deleted_at is null)
      delete from ${values} and record_id in (select record_id from stray)`.execute(inside.db)
  }
}

const drifted = new Map(
  resourceNames.map((table) => [
    table,
    fixed<{ drift: number }>(
      `select (select count(*) from ${table} where workspace_id = ? and deleted_at is null)
        - (select coalesce(sum(live), 0) from record_counts where workspace_id = ? and resource = ?) as drift`,
    ),
  ]),
)

/** How many live records there are beyond those that were counted. Read in one statement, so that writers at work do not show in it. */
export async function loadDrift(inside: Scope, resource: ResourceName): Promise<number> {
  const { id } = inside.workspace
  const rows = await drifted.get(resource)?.(inside.db, [id, id, resource])
  return rows?.[0]?.drift ?? 0
}
