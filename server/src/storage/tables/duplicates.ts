import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { MERGE_MAX } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

export type SharedKey = string | number

/** Where the same key may be held by several records, in the order of the keys: a part of an index. */
export type SharedIndex = {
  /** `from … where` of the entries of live records. */
  from: Sql<unknown>
  key: Sql<unknown>
  record_id: Sql<unknown>
  /** The shown form of a value, if it is not the key itself. */
  value: Sql<unknown>
  created_at: Sql<unknown>
  /** Keys that more records share say nothing about them. */
  most?: number
  resource: Resource
}

/** The values of a field: those that no two records may share, or the hosts of its links. */
export function valueIndex(scope: Tenant, field: FieldDefinition, by: 'value' | 'host'): SharedIndex {
  const isNumber = fieldTypes[field.type].valueKey === 'number_key'
  const key = by === 'host' ? sql`v.host_key` : isNumber ? sql`v.number_key` : sql`v.match_key`
  const without = by === 'host' ? sql`and ${key} not in (${sql.join(PLATFORMS.map(sql.lit))})` : sql``
  return {
    from: sql`from field_values v where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id}
      and ${key} is not null ${without}`,
    key,
    record_id: sql`v.record_id`,
    value: by === 'host' ? sql`v.host_key` : sql`coalesce(v.exact, v.match_key)`,
    created_at: sql`v.created_at`,
    ...(by === 'host' ? { most: MERGE_MAX } : {}),
    resource: registry[field.entity_type],
  }
}

/** Sites on which everyone has a page. */
const PLATFORMS = [
  'linkedin.com',
  'facebook.com',
  'instagram.com',
  'x.com',
  'twitter.com',
  'youtube.com',
  'github.com',
  'xing.com',
  'crunchbase.com',
  'tiktok.com',
  'google.com',
  'sites.google.com',
  'medium.com',
  'wikipedia.org',
]

/** The names of a resource, without letter case, accents, punctuation and legal forms. */
export function nameIndex(scope: Tenant, resource: Resource): SharedIndex {
  return {
    from: sql`from ${sql.table(resource.type)} n where n.workspace_id = ${scope.workspace.id}
      and n.deleted_at is null and n.duplicate_key <> ''`,
    key: sql`n.duplicate_key`,
    record_id: sql`n.id`,
    value: sql.ref(`n.${resource.label}`),
    created_at: sql`n.created_at`,
    resource,
  }
}

/** How many keys several records hold: scans along the index. */
export function countShared(scope: Tenant, index: SharedIndex): Promise<number> {
  return sql`select count(*) as n from (${sharedKeys(index)}) shared`.count(scope.db)
}

/** The next keys, in their order, that several records hold. */
export function loadSharedKeys(
  scope: Tenant,
  index: SharedIndex,
  { limit, offset }: { limit: number; offset: number },
): Promise<SharedKey[]> {
  return sql<SharedKey>`${sharedKeys(index)} order by ${index.key} limit ${limit} offset ${offset}`.column(scope.db)
}

/** One record may hold a tag in two spellings. */
function sharedKeys({ from, key, record_id, most }: SharedIndex): Sql<unknown> {
  const few = most === undefined ? sql`` : sql`and count(*) <= ${sql.lit(most)}`
  return sql`select ${key} as key ${from} group by ${key} having min(${record_id}) < max(${record_id}) ${few}`
}

type Holder = {
  key: SharedKey
  /** How many records hold the value. */
  count: number
  value: string | null
  id: string
  name: string
  created_at: string
}

/** The oldest holders of each of the keys, as many as can be merged at once. */
export async function loadHolders(scope: Tenant, index: SharedIndex, keys: readonly SharedKey[]): Promise<Holder[]> {
  if (keys.length === 0) return []
  const { from, key, record_id, value, created_at, resource } = index
  const label = sql.ref(`r.${resource.label}`)
  const query = sql<Holder>`
    select h.key, h.count, h.value, r.id, ${label} as name, r.created_at from (
      select d.*, count(*) over (partition by d.key) as count,
        row_number() over (partition by d.key order by d.created_at, d.record_id) as place
      from (
        select ${key} as key, ${created_at} as created_at, ${record_id} as record_id, min(${value}) as value
        ${from} and ${key} in (${sql.join(keys)})
        group by ${key}, ${created_at}, ${record_id}) d) h
    join ${sql.table(resource.type)} r on r.workspace_id = ${scope.workspace.id} and r.id = h.record_id
    where h.place <= ${MERGE_MAX} order by h.key, h.place, r.id`
  return query.all(scope.db)
}
