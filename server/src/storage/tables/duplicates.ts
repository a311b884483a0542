import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { MERGE_MAX } from '@kith/contract/limits'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { RecordTenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { isOf } from './numbers.ts'

export type SharedKey = string | number

/** Where the same key may be held by several records, in the order of the keys: a part of an index. */
export type SharedIndex = {
  /** `from … where` of the entries of live records. */
  from: Sql<unknown>
  key: Sql<unknown>
  record: Sql<unknown>
  /** The shown form of a value, if it is not the key itself. */
  value: Sql<unknown>
  created_at: Sql<unknown>
  /** Keys that more records share say nothing about them. */
  most?: number
  resource: ResourceName
}

/** The values of a field: those that no two records may share, or the hosts of its links. */
export function valueIndex(scope: RecordTenant, field: FieldDefinition, by: 'value' | 'host'): SharedIndex {
  const isNumber = fieldTypes[field.type].valueKey === 'number_key'
  const key = by === 'host' ? sql`v.host_key` : isNumber ? sql`v.number_key` : sql`v.match_key`
  const without = by === 'host' ? sql`and ${key} not in (${sql.join(PLATFORMS.map(sql.lit))})` : sql``
  return {
    from: sql`from field_values v where v.workspace = ${scope.workspace.number} and v.field = ${field.number}
      and ${key} is not null ${without}`,
    key,
    record: sql`v.record`,
    value: by === 'host' ? sql`v.host_key` : sql`coalesce(v.exact, v.match_key)`,
    created_at: sql`v.created_at`,
    ...(by === 'host' ? { most: MERGE_MAX } : {}),
    resource: field.entity_type,
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
export function nameIndex(scope: RecordTenant, resource: Resource): SharedIndex {
  return {
    from: sql`from records n where ${isOf(scope, resource.type, 'n')}
      and n.deleted_at is null and n.duplicate_key <> ''`,
    key: sql`n.duplicate_key`,
    record: sql`n.number`,
    value: sql`n.name`,
    created_at: sql`n.created_at`,
    resource: resource.type,
  }
}

/** How many keys several records hold: scans along the index. */
export function countShared(scope: RecordTenant, index: SharedIndex): Promise<number> {
  return sql`select count(*) as n from (${sharedKeys(index)}) shared`.count(scope.db)
}

/** The next keys, in their order, that several records hold. */
export function loadSharedKeys(
  scope: RecordTenant,
  index: SharedIndex,
  { limit, offset }: { limit: number; offset: number },
): Promise<SharedKey[]> {
  return sql<SharedKey>`${sharedKeys(index)} order by ${index.key} limit ${limit} offset ${offset}`.column(scope.db)
}

/** One record may hold a tag in two spellings. */
function sharedKeys({ from, key, record, most }: SharedIndex): Sql<unknown> {
  const few = most === undefined ? sql`` : sql`and count(*) <= ${sql.lit(most)}`
  return sql`select ${key} as key ${from} group by ${key} having min(${record}) < max(${record}) ${few}`
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
export async function loadHolders(
  scope: RecordTenant,
  index: SharedIndex,
  keys: readonly SharedKey[],
): Promise<Holder[]> {
  if (keys.length === 0) return []
  const { from, key, record, value, created_at, resource } = index
  const query = sql<Holder>`
    select h.key, h.count, h.value, r.id, r.name, r.created_at from (
      select d.*, count(*) over (partition by d.key) as count,
        row_number() over (partition by d.key order by d.created_at, d.record) as place
      from (
        select ${key} as key, ${created_at} as created_at, ${record} as record, min(${value}) as value
        ${from} and ${key} in (${sql.join(keys)})
        group by ${key}, ${created_at}, ${record}) d) h
    join records r on ${isOf(scope, resource, 'r')} and r.number = h.record
    where h.place <= ${MERGE_MAX} order by h.key, h.place, r.id`
  return query.all(scope.db)
}
