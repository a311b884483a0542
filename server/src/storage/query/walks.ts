import type { SortKey } from '@kith/contract/list-query'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { loadLiveCount } from '../tables/counts.ts'
import { isSince, type WalkStart } from '../tables/key-moves.ts'
import { listedColumns } from '../tables/records.ts'
import { rowsOf } from './fragments.ts'
import {
  isBehind,
  type KeyColumns,
  keysUnder,
  type ListedRow,
  orderBy,
  ownKeys,
  type Place,
  sortColumn,
} from './order.ts'
import { type Listing, loadRows } from './pages.ts'
import { type Plan, planList } from './plan.ts'
import { compileAll } from './predicates.ts'

/** A page of a walk. A walk along keys that may change has a start. */
type Walk = Listing & { start?: WalkStart; place?: Place; backwards: boolean; per_page: number }

/** The records behind a place in the order of the list: one more than requested if there are more. */
export async function loadWalk(scope: Scope, resource: Resource, walk: Walk): Promise<ListedRow[]> {
  const { filter, sort, start, place, backwards } = walk
  // Without a filter the plan does not depend on the number of records.
  const live = filter ? await loadLiveCount(scope, resource.type) : 0
  const plan = await planList(scope, resource, { filter, sort, live, backwards })
  const limit = walk.per_page + 1
  if (start) return loadMoving(scope, resource, { ...walk, start, limit, plan })
  return loadRows(scope, resource, { plan, sort, limit, offset: 0, place, backwards })
}

/** Whether an order has keys that a write may change. */
export function mayMove(sort: readonly SortKey[]): boolean {
  return sort.some((key) => key.by === 'attribute' && key.name !== 'created_at')
}

type Moving = Walk & { start: WalkStart; limit: number; plan: Plan }

/**
 * A page of a walk along keys that may change meanwhile. For the whole walk each record has the place it had when the
 * walk began: that of its own keys, or of the keys before its first move since then. So the walk neither misses nor
 * repeats it.
 */
async function loadMoving(scope: Scope, resource: Resource, walk: Moving): Promise<ListedRow[]> {
  const looksUp = walk.plan.narrow || leading(walk).column === 'created_at'
  const page = looksUp ? withOldKeys(scope, walk) : unmovedAndMoved(scope, resource, walk)
  const columns = { ...keysUnder('p'), id: sql`r0.id` }
  const rows = rowsOf(scope, resource.type, { each: sql`(${page}) p`, where: sql`r0.id = p.id` })
  return sql<ListedRow>`
    select ${listedColumns(scope, resource)}, p.name_key, p.updated_at as walk_updated_at ${rows}
    order by ${orderBy(scope, walk, columns)}`.all(scope.db)
}

/** For few records, or an order by the time of creation: looks up the old keys of each record. */
function withOldKeys(scope: Scope, { plan, start, ...walk }: Moving): Sql<unknown> {
  const moves = movesOf(scope, { alias: 'm', recordId: sql`r0.id`, start })
  const old = (column: 'name_key' | 'updated_at') =>
    sql`coalesce((select ${sql.ref(`m.${column}`)} ${moves} order by m.seq limit 1), ${ownKeys[column]})
      as ${sql.ref(column)}`
  const keys = sql`${plan.with} select r0.id, r0.created_at, ${old('name_key')}, ${old('updated_at')} ${plan.from}`
  const columns = keysUnder('k')
  return sql`select k.* from (${keys}) k where ${behind(walk, columns)} ${ordered(scope, walk, columns)}`
}

/**
 * For a scan along keys that change: the records that did not move in the order of their table's index, and those that
 * moved in the order of an index of their old keys. The latter are read no further than the former reach.
 */
function unmovedAndMoved(scope: Scope, resource: Resource, walk: Moving): Sql<unknown> {
  const { plan, start, limit } = walk
  const { column, descending } = leading(walk)
  // Otherwise a walk along the time of change would read everything written since its start at its end.
  const written = column === 'updated_at' ? sql`and r0.updated_at <= ${start.newest}` : sql``
  const moves = movesOf(scope, { alias: 'm', recordId: sql`r0.id`, start })
  const unmoved = sql`select r0.id, r0.created_at, r0.name_key, r0.updated_at ${plan.from}
    and ${behind(walk, ownKeys)} ${written} and not exists (select 1 ${moves} ${scope.engine.hints.notJoined})
    ${ordered(scope, walk, ownKeys)}`
  const most = sql.raw(descending ? 'min' : 'max')
  const last = sql.ref(`k.${column}`)
  const reach = sql`coalesce((select case when count(*) = ${limit} then ${most}(${last}) end from unmoved k),
    (select ${most}(${last}) from key_moves k
      where k.workspace_id = ${scope.workspace.id} and k.resource = ${resource.type}))`
  return sql`with unmoved as materialized (${unmoved}),
    moved as materialized (${movedRecords(scope, resource, { ...walk, reach })})
    select k.* from (select * from unmoved union all select * from moved) k
    ${ordered(scope, walk, keysUnder('k'))}`
}

/** The records that moved since the start, at the first of their old places, no further than `reach`. */
function movedRecords(
  scope: Scope,
  resource: Resource,
  { reach, start, filter, ...walk }: Moving & { reach: Sql<unknown> },
): Sql<unknown> {
  const workspace = scope.workspace.id
  const { column, descending } = leading(walk)
  const old: KeyColumns = { ...keysUnder('m'), created_at: sql`r0.created_at`, id: sql`m.record_id` }
  const earlier = movesOf(scope, { alias: 'e', recordId: sql`m.record_id`, start })
  const where = sql`r0.id = m.record_id and r0.deleted_at is null`
  const records = rowsOf(scope, resource.type, { each: sql`key_moves m`, where })
  return sql`select m.record_id, r0.created_at, m.name_key, m.updated_at ${records}
    and m.workspace_id = ${workspace} and m.resource = ${resource.type} and ${isSince(scope, 'm', start)}
    and ${behind(walk, old)} and ${old[column]} ${sql.raw(descending ? '>=' : '<=')} ${reach}
    and not exists (select 1 ${earlier} and e.seq < m.seq ${scope.engine.hints.notJoined})
    and ${compileAll(scope, filter ? [filter] : [])} ${ordered(scope, walk, old)}`
}

type MovesOf = { alias: string; recordId: Sql<unknown>; start: WalkStart }

/** `from … where` of the moves of a record since the walk began. */
function movesOf(scope: Scope, { alias, recordId, start }: MovesOf): Sql<unknown> {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return sql`from key_moves ${sql.raw(alias)} where ${of('workspace_id')} = ${scope.workspace.id}
    and ${of('record_id')} = ${recordId} and ${isSince(scope, alias, start)}`
}

type Way = { sort: readonly SortKey[]; place?: Place; backwards: boolean; limit: number }

/** The first key of the order, in the direction of the walk. */
function leading({ sort, backwards }: Pick<Way, 'sort' | 'backwards'>) {
  const [key] = sort
  if (key?.by !== 'attribute') throw new Error('A cursor has native keys only.')
  return { column: sortColumn(key), descending: key.descending !== backwards }
}

function behind(walk: Way, columns: KeyColumns): Sql<unknown> {
  return walk.place ? isBehind(walk, walk.place, columns) : sql`1 = 1`
}

function ordered(scope: Scope, walk: Way, columns: KeyColumns): Sql<unknown> {
  return sql`order by ${orderBy(scope, walk, columns)} limit ${sql.unseen(walk.limit)}`
}
