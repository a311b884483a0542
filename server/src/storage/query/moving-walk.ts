import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { isSince, type WalkStart } from '../tables/key-moves.ts'
import { lightColumns } from '../tables/records.ts'
import { compileAll } from './filter.ts'
import { lookedUp } from './look-up.ts'
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
import type { Source } from './source.ts'
import { keptApart } from './tests.ts'

export type MovingWalk = {
  start: WalkStart
  filter?: Condition
  sort: readonly SortKey[]
  place?: Place
  backwards: boolean
  limit: number
}

/** Whether an order has keys that a write may change. */
export function mayMove(sort: readonly SortKey[]): boolean {
  return sort.some((key) => key.by === 'attribute' && key.name !== 'created_at')
}

/**
 * A page of a walk along keys that change meanwhile. Each record stands, for the whole walk, where it stood when the walk began: at
 * its own keys, or at those that it had before its first move since then. So nothing can slip past the walk, nor be met twice.
 */
export async function loadMovingWalk(
  scope: Scope,
  resource: Resource,
  source: Source,
  walk: MovingWalk,
): Promise<ListedRow[]> {
  const inPlace = source.narrow || leading(walk).column === 'created_at'
  const page = inPlace ? foundInPlace(scope, source, walk) : foundInBoth(scope, resource, source, walk)
  const keys = { ...keysUnder('p'), id: sql`r0.id` }
  const query = sql<ListedRow>`
    select ${sql.raw(lightColumns(resource))}, p.name_key, p.updated_at as walk_updated_at
    ${lookedUp(scope, {
      each: sql`(${page}) p`,
      table: resource.type,
      alias: 'r0',
      where: sql`r0.workspace_id = ${scope.workspace.id} and r0.id = p.id`,
    })} order by ${orderBy(scope, walk.sort, walk.backwards, keys)}`
  return (await query.execute(scope.db)).rows
}

/** Where the records to look at are few, or come in an order that stays: for each of them it is looked up where it stood. */
function foundInPlace(scope: Scope, source: Source, { start, ...walk }: MovingWalk): RawBuilder<unknown> {
  const stood = (column: 'name_key' | 'updated_at') => sql`coalesce((
    select ${sql.ref(`m.${column}`)} ${movesOf(scope, 'm', sql`r0.id`, start)} order by m.seq limit 1), ${ownKeys[column]})`
  const standing = sql`${source.with} select r0.id, r0.created_at, ${stood('name_key')} as name_key,
    ${stood('updated_at')} as updated_at ${source.from}`
  return sql`select k.* from (${standing}) k where ${behind(walk, keysUnder('k'))} ${ordered(scope, walk, keysUnder('k'))}`
}

/**
 * Where the list is walked along keys that change: the records that kept their place in the order of the table's index, those that
 * moved in the order of an index of the places they had. The latter are read no further than the former reach.
 */
function foundInBoth(scope: Scope, resource: Resource, source: Source, walk: MovingWalk): RawBuilder<unknown> {
  const { start, limit, filter } = walk
  const workspace = scope.workspace.id
  const { column, descending } = leading(walk)
  // Without it, a walk along the time of change would go through all that was written since at its end.
  const written = column === 'updated_at' ? sql`and r0.updated_at <= ${start.newest}` : sql``
  const kept = sql`select r0.id, r0.created_at, r0.name_key, r0.updated_at ${source.from} and ${behind(walk, ownKeys)} ${written}
    and not exists (select 1 ${movesOf(scope, 'm', sql`r0.id`, start)} ${keptApart(scope)})
    ${ordered(scope, walk, ownKeys)}`
  const old: KeyColumns = { ...keysUnder('m'), created_at: sql`r0.created_at`, id: sql`m.record_id` }
  const most = sql.raw(descending ? 'min' : 'max')
  const last = sql.ref(`k.${column}`)
  const reach = sql`coalesce((select case when count(*) = ${limit} then ${most}(${last}) end from kept k),
    (select ${most}(${last}) from key_moves k where k.workspace_id = ${workspace} and k.resource = ${resource.type}))`
  const moved = sql`select m.record_id, r0.created_at, m.name_key, m.updated_at
    ${lookedUp(scope, {
      each: sql`key_moves m`,
      table: resource.type,
      alias: 'r0',
      where: sql`r0.workspace_id = ${workspace} and r0.id = m.record_id and r0.deleted_at is null`,
    })}
    and m.workspace_id = ${workspace} and m.resource = ${resource.type} and ${isSince(scope, 'm', start)}
    and ${behind(walk, old)} and ${old[column]} ${sql.raw(descending ? '>=' : '<=')} ${reach}
    and not exists (select 1 ${movesOf(scope, 'e', sql`m.record_id`, start)} and e.seq < m.seq ${keptApart(scope)})
    and ${compileAll(scope, filter ? [filter] : [])} ${ordered(scope, walk, old)}`
  return sql`with kept as materialized (${kept}), moved as materialized (${moved})
    select k.* from (select * from kept union all select * from moved) k ${ordered(scope, walk, keysUnder('k'))}`
}

/** `from … where` of the moves of a record since the walk began. */
function movesOf(scope: Scope, alias: string, recordId: RawBuilder<unknown>, start: WalkStart): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return sql`from key_moves ${sql.raw(alias)} where ${of('workspace_id')} = ${scope.workspace.id}
    and ${of('record_id')} = ${recordId} and ${isSince(scope, alias, start)}`
}

type Way = Pick<MovingWalk, 'sort' | 'place' | 'backwards' | 'limit'>

/** The first key of the order, in the direction of the walk. */
function leading({ sort, backwards }: Way) {
  const [key] = sort
  if (key?.by !== 'attribute') throw new Error('A cursor walks along native keys.')
  return { column: sortColumn(key), descending: key.descending !== backwards }
}

function behind({ sort, place, backwards }: Way, at: KeyColumns): RawBuilder<unknown> {
  return place ? isBehind(sort, place, backwards, at) : sql`1 = 1`
}

function ordered(scope: Scope, { sort, backwards, limit }: Way, at: KeyColumns): RawBuilder<unknown> {
  return sql`order by ${orderBy(scope, sort, backwards, at)} limit ${sql.unseen(limit)}`
}
