import type { FieldSelection } from '@kith/contract/answer-options'
import type { Definitions } from '@kith/contract/field-definition'
import type { Resource } from '@kith/contract/resource'
import { completeRows, shownKeys } from '../records/complete-rows.ts'
import { externalIdsOf } from '../records/external-ids.ts'
import { presentRecord, type ResourceObject } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import type { Link } from '../storage/tables/links.ts'
import type { LightRow } from '../storage/tables/records.ts'
import { loadSyncLinks } from '../storage/tables/sync-rows.ts'

type SyncOptions = { definitions: Definitions; fields: FieldSelection }

/**
 * Records in the sync form: with external ids and, for tasks and notes, all links. Members appear as they are stored,
 * also those who have left.
 */
export async function presentSync(
  scope: Scope,
  resource: Resource,
  { rows, definitions, fields }: SyncOptions & { rows: readonly LightRow[] },
): Promise<ResourceObject[]> {
  const ids = rows.map((row) => row.id)
  const [complete, externalIds, links] = await Promise.all([
    completeRows(scope, resource.type, { rows, keys: shownKeys(definitions, fields, resource.type) }),
    externalIdsOf(scope, ids),
    loadSyncLinks(scope, resource, ids),
  ])
  const byRecord = Map.groupBy(links, (link) => link.from_id)
  return complete.map((row) => {
    const object = presentRecord(row, resource, { definitions, fields, externalIds })
    if (Object.keys(resource.links).length === 0) return object
    return { ...object, relationships: relationshipsOf(resource, byRecord.get(row.id) ?? []) }
  })
}

/** As many records as have so many bytes, and at least one. */
export function rowsWithin(rows: readonly LightRow[], max: number): readonly LightRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.custom_bytes
    return bytes > max && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

/** In the order of the resource's relations. */
function relationshipsOf(resource: Resource, links: readonly Link[]): NonNullable<ResourceObject['relationships']> {
  const lists = Object.values(resource.links)
  const named = Object.keys(resource.relations).flatMap((name) => lists.filter(({ relation }) => relation === name))
  return Object.fromEntries(
    named.map(({ relation, to }) => {
      const own = links.filter((link) => link.relation === relation)
      return [relation, { data: own.map((link) => ({ id: link.to_id, type: to })) }]
    }),
  )
}
