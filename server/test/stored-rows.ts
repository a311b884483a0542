import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import type { Engine } from '../src/storage/engines/engine.ts'
import { type Sql, sql } from '../src/storage/engines/sql.ts'
import { declared, type EveryName } from './own-resource.ts'

/** The stored records of a resource as a table `r`, with the id of their workspace. */
export function storedRecords(resource: EveryName): Sql<unknown> {
  return sql`(select x.*, x.name as title, w.id as workspace_id from records x
    join workspaces w on w.number = x.workspace where x.resource = ${sql.lit(declared(resource).number)}) r`
}

/** The index over their values as a table `v`, with ids in place of numbers. What belongs to nothing has none. */
export const storedValues = sql`(select x.*, w.id as workspace_id, r.id as record_id, f.id as field_id
  from field_values x join workspaces w on w.number = x.workspace
  left join records r on r.workspace = x.workspace and r.number = x.record
  left join custom_fields f on f.workspace_id = w.id and f.number = x.field) v`

/** Whether a row of `records` belongs to a resource of a workspace, for statements that write. */
export function isStored(workspaceId: string, resource: BuiltInName): Sql<unknown> {
  return sql`workspace = ${numberOf(workspaceId)} and resource = ${sql.lit(registry[resource].number)}`
}

/** The number of a workspace. */
export function numberOf(workspaceId: string): Sql<unknown> {
  return sql`(select number from workspaces where id = ${workspaceId})`
}

/** The number of a field. */
export function fieldNumber({ db }: Engine, fieldId: string): Promise<number> {
  return sql`select number from custom_fields where id = ${fieldId}`.count(db)
}
