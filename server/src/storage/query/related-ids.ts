import { INCLUDED_MAX } from '@kith/contract/limits'
import type { Count, RelatedType, Relation, Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'

/** A relation that is asked for, by its name. */
export type Included = { name: string; relation: Relation }

export type Pair = { from_id: string; to_id: string }

/** The related ids of each record: live records and present members only, one more than can be shown where there are more. */
export function relatedPairs(scope: Scope, included: Included, ids: readonly string[]): RawBuilder<Pair> {
  return sql`select ranked.from_id, ranked.to_id ${rankedPairs(scope, included, ids, INCLUDED_MAX + 1)}
    order by ranked.from_id, ranked.to_id`
}

/** The ids that are shown of a relation of any kind, as `record_id`. */
export function shownIds(
  scope: Scope,
  { resource, included }: { resource: Resource; included: Included },
  ids: readonly string[],
): RawBuilder<unknown> {
  const { relation } = included
  if (relation.kind !== 'reference')
    return sql`select ranked.to_id as record_id ${rankedPairs(scope, included, ids, INCLUDED_MAX)}`
  const column = sql.ref(`r.${relation.column}`)
  return sql`select ${column} as record_id from ${sql.table(resource.type)} r
    where r.workspace_id = ${scope.workspace.id} and r.id in (${sql.join(ids)}) and ${column} is not null`
}

function rankedPairs(scope: Scope, included: Included, ids: readonly string[], most: number): RawBuilder<unknown> {
  return sql`from (
      select p.from_id, p.to_id, row_number() over (partition by p.from_id order by p.to_id) as place
      from (${pairsOf(scope, included, ids)}) p) ranked
    where ranked.place <= ${most}`
}

/** Pairs of a record and what it is related to. */
function pairsOf(scope: Scope, { name, relation }: Included, ids: readonly string[]): RawBuilder<unknown> {
  const workspace = scope.workspace.id
  switch (relation.kind) {
    case 'reference':
      throw new Error('The record itself holds its references.')
    case 'referring':
      return sql`select ${sql.ref(`t.${relation.column}`)} as from_id, t.id as to_id from ${sql.table(relation.to)} t
        where t.workspace_id = ${workspace} and ${sql.ref(`t.${relation.column}`)} in (${sql.join(ids)})
        and t.deleted_at is null`
    case 'linked':
      return sql`select l.from_id, l.to_id from links l where l.workspace_id = ${workspace}
        and l.from_id in (${sql.join(ids)}) and l.relation = ${name} and ${targetIsThere(relation.to)}`
  }
}

function targetIsThere(to: RelatedType): RawBuilder<unknown> {
  return to === 'users'
    ? sql`exists (select 1 from members m where m.workspace_id = l.workspace_id and m.user_id = l.to_id)`
    : sql`exists (select 1 from ${sql.table(to)} t where t.workspace_id = l.workspace_id and t.id = l.to_id
        and t.deleted_at is null)`
}

export type Counted = { from_id: string; number: number }

/** How many there are for each record; a record without any is left out. */
export function relatedCounts(
  scope: Scope,
  { resource, count }: { resource: Resource; count: Count },
  ids: readonly string[],
): RawBuilder<Counted> {
  const pairs =
    count.of === 'linking' ? linkingPairs(scope, count.from, ids) : relationPairs(scope, resource, count, ids)
  return sql`select p.from_id, count(*) as number from (${pairs}) p group by p.from_id`
}

function relationPairs(scope: Scope, resource: Resource, count: Count & { of: 'relation' }, ids: readonly string[]) {
  const relation = resource.relations[count.relation]
  if (!relation) throw new Error(`${resource.type} have no relation ${count.relation}.`)
  return pairsOf(scope, { name: count.relation, relation }, ids)
}

/** Tasks or notes that are linked to a record; each counts once. */
function linkingPairs(scope: Scope, from: ResourceName, ids: readonly string[]): RawBuilder<unknown> {
  return sql`select l.to_id as from_id, l.from_id as to_id from links l where l.workspace_id = ${scope.workspace.id}
    and l.to_id in (${sql.join(ids)}) and l.from_type = ${from}
    and exists (select 1 from ${sql.table(from)} t where t.workspace_id = l.workspace_id and t.id = l.from_id
      and t.deleted_at is null)`
}
