import type { SortKey } from '@kith/contract/list-query'
import type { Resource } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { isOf } from '../tables/numbers.ts'
import { isSince, listedColumns, loadLiveCount, type ScanStart } from '../tables/records.ts'
import {
  isBehind,
  type KeyColumns,
  keysUnder,
  type ListedRow,
  orderBy,
  ownKeys,
  type Place,
  rowsOf,
  sortColumn,
} from './order.ts'
import { type ListFilter, loadRows } from './pages.ts'
import { type Plan, planList } from './plan.ts'
import { compileAll } from './predicates.ts'

/** A page of a scan. A scan along keys that may change has a start. */
type Scan = ListFilter & { start?: ScanStart; place?: Place; backwards: boolean; per_page: number }

/** The records behind a place in the order of the list: one more than requested if there are more. */
export async function loadScan(scope: Reader, resource: Resource, scan: Scan): Promise<ListedRow[]> {
  const { filter, sort, start, place, backwards } = scan
  // Without a filter the plan does not depend on the number of records.
  const live = filter ? await loadLiveCount(scope, resource.type) : 0
  const plan = await planList(scope, resource, { filter, sort, live, backwards })
  const limit = scan.per_page + 1
  if (start) return loadMoving(scope, resource, { ...scan, start, limit, plan })
  return loadRows(scope, resource, { plan, sort, limit, offset: 0, place, backwards })
}

/** Whether an order has keys that a write may change. */
export function mayMove(sort: readonly SortKey[]): boolean {
  return sort.some((key) => key.by === 'attribute' && key.name !== 'created_at')
}

type CursorScan = Scan & { start: ScanStart; limit: number; plan: Plan }

/**
 * A page of a scan along keys that may change meanwhile. For the whole scan each record has the place it had when the
 * scan began: that of its own keys, or of the keys before its first move since then. So the scan neither misses nor
 * repeats it.
 */
async function loadMoving(scope: Reader, resource: Resource, scan: CursorScan): Promise<ListedRow[]> {
  const looksUp = scan.plan.narrow || leading(scan).column === 'created_at'
  const page = looksUp ? withOldKeys(scope, scan) : unmovedAndMoved(scope, resource, scan)
  const columns = { ...keysUnder('p'), id: sql`r0.id` }
  const rows = rowsOf(scope, resource.type, { each: sql`(${page}) p`, where: sql`r0.number = p.record` })
  return sql<ListedRow>`
    select ${listedColumns(scope, resource)}, p.name_key, p.updated_at as scan_updated_at ${rows}
    order by ${orderBy(scope, scan, columns)}`.all(scope.db)
}

/** For few records, or an order by the time of creation: looks up the old keys of each record. */
function withOldKeys(scope: Reader, { plan, start, ...scan }: CursorScan): Sql<unknown> {
  const moves = movesOf(scope, { alias: 'm', record: sql`r0.number`, start })
  const old = (column: 'name_key' | 'updated_at') =>
    sql`coalesce((select ${sql.ref(`m.${column}`)} ${moves} order by m.seq limit 1), ${ownKeys[column]})
      as ${sql.ref(column)}`
  const keys = sql`${plan.with} select r0.number as record, r0.id, r0.created_at, ${old('name_key')}, ${old('updated_at')} ${plan.from}`
  const columns = keysUnder('k')
  return sql`select k.* from (${keys}) k where ${behind(scan, columns)} ${ordered(scope, scan, columns)}`
}

/**
 * For a scan along keys that change: the records that did not move in the order of their table's index, and those that
 * moved in the order of an index of their old keys. The latter are read no further than the former reach.
 */
function unmovedAndMoved(scope: Reader, resource: Resource, scan: CursorScan): Sql<unknown> {
  const { plan, start, limit } = scan
  const { column, descending } = leading(scan)
  // Otherwise a scan along the time of change would read everything written since its start at its end.
  const written = column === 'updated_at' ? sql`and r0.updated_at <= ${start.newest}` : sql``
  const moves = movesOf(scope, { alias: 'm', record: sql`r0.number`, start })
  const unmoved = sql`select r0.number as record, r0.id, r0.created_at, r0.name_key, r0.updated_at ${plan.from}
    and ${behind(scan, ownKeys)} ${written} and not exists (select 1 ${moves} ${scope.engine.hints.notJoined})
    ${ordered(scope, scan, ownKeys)}`
  const most = sql.raw(descending ? 'min' : 'max')
  const last = sql.ref(`k.${column}`)
  const reach = sql`coalesce((select case when count(*) = ${limit} then ${most}(${last}) end from unmoved k),
    (select ${most}(${last}) from key_moves k
      where ${isOf(scope, resource.type, 'k')}))`
  return sql`with unmoved as materialized (${unmoved}),
    moved as materialized (${movedRecords(scope, resource, { ...scan, reach })})
    select k.* from (select * from unmoved union all select * from moved) k
    ${ordered(scope, scan, keysUnder('k'))}`
}

/** The records that moved since the start, at the first of their old places, no further than `reach`. */
function movedRecords(
  scope: Reader,
  resource: Resource,
  { reach, start, filter, ...scan }: CursorScan & { reach: Sql<unknown> },
): Sql<unknown> {
  const { column, descending } = leading(scan)
  const old: KeyColumns = { ...keysUnder('m'), created_at: sql`r0.created_at`, id: sql`r0.id` }
  const earlier = movesOf(scope, { alias: 'e', record: sql`m.record`, start })
  const where = sql`r0.number = m.record and r0.deleted_at is null`
  const records = rowsOf(scope, resource.type, { each: sql`key_moves m`, where })
  return sql`select m.record, r0.id, r0.created_at, m.name_key, m.updated_at ${records}
    and ${isOf(scope, resource.type, 'm')} and ${isSince(scope, 'm', start)}
    and ${behind(scan, old)} and ${old[column]} ${sql.raw(descending ? '>=' : '<=')} ${reach}
    and not exists (select 1 ${earlier} and e.seq < m.seq ${scope.engine.hints.notJoined})
    and ${compileAll(scope, filter ? [filter] : [])} ${ordered(scope, scan, old)}`
}

/** `from … where` of the moves of a record since the scan began. */
function movesOf(
  scope: Reader,
  { alias, record, start }: { alias: string; record: Sql<unknown>; start: ScanStart },
): Sql<unknown> {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return sql`from key_moves ${sql.raw(alias)} where ${of('workspace')} = ${scope.workspace.number}
    and ${of('record')} = ${record} and ${isSince(scope, alias, start)}`
}

type Way = { sort: readonly SortKey[]; place?: Place; backwards: boolean; limit: number }

/** The first key of the order, in the direction of the scan. */
function leading({ sort, backwards }: Pick<Way, 'sort' | 'backwards'>) {
  const [key] = sort
  if (key?.by !== 'attribute') throw new Error('A cursor has native keys only.')
  return { column: sortColumn(key), descending: key.descending !== backwards }
}

function behind(scan: Way, columns: KeyColumns): Sql<unknown> {
  return scan.place ? isBehind(scan, scan.place, columns) : sql`1 = 1`
}

function ordered(scope: Reader, scan: Way, columns: KeyColumns): Sql<unknown> {
  return sql`order by ${orderBy(scope, scan, columns)} limit ${sql.unseen(scan.limit)}`
}
