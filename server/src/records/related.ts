import { INCLUDED_MAX } from '@kith/contract/limits'
import { isToMany, type RelatedType, type Relation, type Resource, type ResourceName } from '@kith/contract/resource'
import type { RecordRow } from '../db/records.ts'
import { loadCounts, loadMembers, loadRecords, loadRelatedIds, type RelatedIds, type UserRow } from '../db/related.ts'
import type { Scope } from '../scope.ts'

export type Identifier = { id: string; type: RelatedType }

export type Related = {
  /** The names of the relations that were asked for. */
  relations: readonly string[]
  truncated: string[]
  users: UserRow[]
  records: { type: ResourceName; row: RecordRow }[]
  relationshipsOf(row: RecordRow): Record<string, { data: Identifier | Identifier[] | null }>
  countsOf(row: RecordRow, chosen: ReadonlySet<string> | undefined): Record<string, number>
}

type Asked = { name: string; relation: Relation; ids: RelatedIds }

/** Loads all that `include` asks for: a fixed number of statements, however many records there are. */
export async function gatherRelated(
  scope: Scope,
  resource: Resource,
  rows: readonly RecordRow[],
  include: readonly string[],
): Promise<Related> {
  const asked: Asked[] = []
  for (const name of include) {
    const relation = resource.relations[name]
    if (relation) asked.push({ name, relation, ids: await relatedIds(scope, relation, name, rows) })
  }
  const users = await loadMembers(scope, idsOf(asked, 'users'))
  const records: Related['records'] = []
  for (const type of typesOf(asked)) {
    for (const row of await loadRecords(scope, type, idsOf(asked, type))) records.push({ type, row })
  }
  const there = new Set([...users.map((user) => user.id), ...records.map(({ row }) => row.id)])
  const counts = await loadAskedCounts(scope, resource, rows, include)
  return {
    relations: asked.map(({ name }) => name),
    truncated: asked.filter(({ ids }) => someIsCut(ids)).map(({ name }) => name),
    users,
    records,
    relationshipsOf(row) {
      return Object.fromEntries(asked.map((one) => [one.name, { data: linkage(one, row, there) }]))
    },
    countsOf(row, chosen) {
      const shown = counts.filter(({ attribute }) => !chosen || chosen.has(attribute))
      return Object.fromEntries(shown.map(({ attribute, numbers }) => [attribute, numbers.get(row.id) ?? 0]))
    },
  }
}

async function relatedIds(
  scope: Scope,
  relation: Relation,
  name: string,
  rows: readonly RecordRow[],
): Promise<RelatedIds> {
  if (relation.kind !== 'reference') return loadRelatedIds(scope, relation, name, rows)
  const ids = new Map<string, string[]>()
  for (const row of rows) {
    // The registry's references are columns of the row.
    const id = row[relation.column as keyof RecordRow]
    if (id) ids.set(row.id, [id])
  }
  return ids
}

function linkage(
  { relation, ids }: Asked,
  row: RecordRow,
  there: ReadonlySet<string>,
): Identifier | Identifier[] | null {
  const related = (ids.get(row.id) ?? []).slice(0, INCLUDED_MAX).filter((id) => there.has(id))
  const identifiers = related.map((id) => ({ id, type: relation.to }))
  return isToMany(relation) ? identifiers : (identifiers[0] ?? null)
}

function someIsCut(ids: RelatedIds): boolean {
  for (const list of ids.values()) if (list.length > INCLUDED_MAX) return true
  return false
}

/** Each related id once, as far as it is shown. */
function idsOf(asked: readonly Asked[], type: RelatedType): string[] {
  const ids = new Set<string>()
  for (const one of asked) {
    if (one.relation.to !== type) continue
    for (const list of one.ids.values()) for (const id of list.slice(0, INCLUDED_MAX)) ids.add(id)
  }
  return [...ids]
}

function typesOf(asked: readonly Asked[]): Set<ResourceName> {
  const types = new Set<ResourceName>()
  for (const { relation } of asked) if (relation.to !== 'users') types.add(relation.to)
  return types
}

async function loadAskedCounts(
  scope: Scope,
  resource: Resource,
  rows: readonly RecordRow[],
  include: readonly string[],
) {
  const ids = rows.map((row) => row.id)
  const counts: { attribute: string; numbers: ReadonlyMap<string, number> }[] = []
  for (const [name, count] of Object.entries(resource.counts)) {
    if (!include.includes(name)) continue
    counts.push({ attribute: count.attribute, numbers: await loadCounts(scope, resource, count, ids) })
  }
  return counts
}
