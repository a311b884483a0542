import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'

/** Values of a unique field, by their keys, or external ids of a namespace. */
type Held = { values: readonly string[] } & ({ field_id: string } | { namespace: string })

/** The live records that hold each of these values. */
export async function findIdsHolding(scope: Scope, { type }: Resource, held: Held): Promise<Map<string, string[]>> {
  const { db, workspace } = scope
  const values = [...new Set(held.values)]
  if (values.length === 0) return new Map()
  const select =
    'field_id' in held
      ? sql<{ value: string; id: string }>`select v.match_key as value, v.record_id as id from field_values v
          where v.workspace_id = ${workspace.id} and v.field_id = ${held.field_id}
          and v.match_key in (${sql.join(values)}) order by v.record_id`
      : sql<{ value: string; id: string }>`select e.external_id as value, e.record_id as id from external_ids e
          where e.workspace_id = ${workspace.id} and e.resource = ${type} and e.namespace = ${held.namespace}
          and e.live = 1 and e.external_id in (${sql.join(values)}) order by e.record_id`
  const rows = await select.all(db)
  const found = Map.groupBy(rows, ({ value }) => value)
  return new Map([...found].map(([value, own]) => [value, own.map(({ id }) => id)]))
}
