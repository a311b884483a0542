import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { MERGE_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'

export type SharedKey = string | number

/**
 * The next values of a field, in their order, that more than one live record holds: walks along the field's part of the
 * index.
 */
export function loadSharedKeys(
  scope: Scope,
  field: FieldDefinition,
  { limit, offset }: { limit: number; offset: number },
): Promise<SharedKey[]> {
  const key = keyColumn(field)
  return sql<SharedKey>`
    select ${key} as key from field_values v
    where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id} and ${key} is not null
    group by ${key} having min(v.record_id) < max(v.record_id) order by ${key}
    limit ${limit} offset ${offset}`.column(scope.db)
}

type Holder = {
  key: SharedKey
  /** How many records hold the value; not all of them are told. */
  count: number
  value: string | null
  id: string
  name: string
  created_at: string
}

/** The oldest holders of each of the values, as many as can be merged at once. */
export async function loadHolders(scope: Scope, field: FieldDefinition, keys: readonly SharedKey[]): Promise<Holder[]> {
  if (keys.length === 0) return []
  const key = keyColumn(field)
  const label = sql.ref(`r.${registry[field.entity_type].label}`)
  const query = sql<Holder>`
    select h.key, h.count, h.value, r.id, ${label} as name, r.created_at from (
      select d.*, count(*) over (partition by d.key) as count,
        row_number() over (partition by d.key order by d.created_at, d.record_id) as place
      from (
        select ${key} as key, v.created_at, v.record_id, min(coalesce(v.exact, v.match_key)) as value
        from field_values v
        where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id} and ${key} in (${sql.join(keys)})
        group by ${key}, v.created_at, v.record_id) d) h
    join ${sql.table(field.entity_type)} r on r.workspace_id = ${scope.workspace.id} and r.id = h.record_id
    where h.place <= ${MERGE_MAX} order by h.key, h.place, r.id`
  return query.all(scope.db)
}

function keyColumn({ type }: FieldDefinition) {
  return fieldTypes[type].valueKey === 'number_key' ? sql`v.number_key` : sql`v.match_key`
}
