import type { ExternalIds } from '@kith/contract/external-ids'
import { INCLUDED_MAX } from '@kith/contract/limits'
import {
  INCLUDE_EXTERNAL_IDS,
  isToMany,
  type RelatedType,
  type Resource,
  type ResourceName,
} from '@kith/contract/resource'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadIncluded, type RelatedIds, referenceOf } from '../storage/query/includes.ts'
import type { Included, UserRow } from '../storage/query/related.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { completeRelated, type Shown } from './complete-rows.ts'
import { byRecord } from './external-ids.ts'

export type Identifier = { id: string; type: RelatedType }

type Related = {
  /** The records themselves, as of the snapshot in which the rest was read. */
  rows: readonly RecordRow[]
  /** The names of the requested relations. */
  relations: readonly string[]
  truncated: string[]
  users: readonly UserRow[]
  records: readonly { type: ResourceName; row: RecordRow }[]
  relationshipsOf(row: RecordRow): Record<string, { data: Identifier | Identifier[] | null }>
  countsOf(row: RecordRow, chosen: ReadonlySet<string> | undefined): Record<string, number>
  /** By the id of the record, if they are requested. */
  externalIds: ReadonlyMap<string, ExternalIds> | undefined
}

type Wanted = { rows: readonly RecordRow[]; include: readonly string[]; shown: Shown }

/** Loads everything that `include` requests. */
export async function loadRelated(scope: Scope, resource: Resource, wanted: Wanted): Promise<Related> {
  const { rows, include, shown } = wanted
  const relations = include.flatMap((name) => {
    const relation = resource.relations[name]
    return relation ? [{ name, relation }] : []
  })
  const counts = Object.entries(resource.counts).flatMap(([name, count]) => (include.includes(name) ? [count] : []))
  const externalIds = include.includes(INCLUDE_EXTERNAL_IDS)
  const { loaded, records, cut } = await inSnapshot(scope, async (inside) => {
    const loaded = await loadIncluded(inside, { resource, rows, relations, counts, externalIds })
    return { loaded, ...(await completeRelated(inside, loaded.records, shown)) }
  })
  const there = new Set([...loaded.users.map((user) => user.id), ...records.map(({ row }) => row.id)])
  const idsOf = (name: string): RelatedIds => loaded.ids.get(name) ?? new Map()
  const isCut = ({ name, relation }: Included) => cut.has(relation.to) || someIsCut(idsOf(name))
  return {
    rows: loaded.rows,
    relations: relations.map(({ name }) => name),
    truncated: relations.filter(isCut).map(({ name }) => name),
    users: loaded.users,
    records,
    externalIds: externalIds ? byRecord(loaded.externalIds) : undefined,
    relationshipsOf(row) {
      const linked = relations.map((one) => [one.name, { data: linkage(one, idsOf(one.name), { row, there }) }])
      return Object.fromEntries(linked)
    },
    countsOf(row, chosen) {
      const shownCounts = counts.filter(({ attribute }) => !chosen || chosen.has(attribute))
      return Object.fromEntries(
        shownCounts.map(({ attribute }) => [attribute, loaded.counts.get(attribute)?.get(row.id) ?? 0]),
      )
    },
  }
}

function linkage(
  { relation }: Included,
  ids: RelatedIds,
  { row, there }: { row: RecordRow; there: ReadonlySet<string> },
): Identifier | Identifier[] | null {
  const identified = (id: string): Identifier => ({ id, type: relation.to })
  if (isToMany(relation)) {
    const shown = (ids.get(row.id) ?? []).slice(0, INCLUDED_MAX)
    return shown.filter((id) => there.has(id)).map(identified)
  }
  const id = relation.kind === 'reference' ? referenceOf(row, relation.column) : undefined
  return id && there.has(id) ? identified(id) : null
}

function someIsCut(ids: RelatedIds): boolean {
  for (const list of ids.values()) if (list.length > INCLUDED_MAX) return true
  return false
}
