import type { Condition } from '@kith/contract/filter'
import { identityOf } from '@kith/contract/filter-identity'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import type { Db } from '../engines/engine.ts'
import { short } from '../engines/short.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { liveCount, loadState, type WorkspaceState } from '../tables/counts.ts'
import type { WalkStart } from '../tables/key-moves.ts'
import type { LightRow } from '../tables/records.ts'
import { countMatches } from './count-matches.ts'
import { loadFieldOrder } from './field-order.ts'
import { loadFirstPage } from './first-page.ts'
import { countOnce, type Memory, memoryOf } from './memory.ts'
import { loadMovingWalk, mayMove } from './moving-walk.ts'
import { isBehind, type ListedRow, orderBy, type Place } from './order.ts'
import { columnsOf, lookedUpRows, type NumberedPage } from './page-rows.ts'
import { findSource, type Source, wholeList } from './source.ts'

export type Listing = { filter?: Condition; sort: readonly SortKey[] }

/** So far into a list it costs little to find that there is no such page. */
const NEAR = 1000

/** A numbered page at an offset, or a walk that begins or goes on. */
export type Where = { offset: number } | { begins: boolean }

/** Whether a page and its total are found by one statement, which sees one moment by itself. All else is read in a snapshot. */
export function isOneStatement({ filter, sort }: Listing, where: Where): boolean {
  if (filter || sort.some((key) => key.by === 'field')) return false
  return 'offset' in where ? where.offset <= NEAR : !(where.begins && mayMove(sort))
}

/** One numbered page, and how many records there are on all of them. */
export async function loadPage(
  scope: Scope,
  resource: Resource,
  { filter, sort, page, per_page }: Listing & { page: number; per_page: number },
): Promise<NumberedPage> {
  const offset = (page - 1) * per_page
  if (isOneStatement({ filter, sort }, { offset })) return loadWhole(scope, resource, { sort, limit: per_page, offset })
  const state = await loadState(scope, resource.type)
  const memory = memoryFor(scope, resource, filter, state)
  const total = filter ? memory.total : state.live
  if (total !== undefined && offset >= total) return { rows: [], total }
  if (filter && total === undefined && offset === 0) {
    const first = await loadFirstPage(scope, resource, { filter, sort, per_page, live: state.live }, memory)
    if (first) {
      memory.total = first.total
      return first
    }
  }
  const source = await findSource(scope, resource, { filter, sort, live: state.live }, memory)
  const loading = loadSorted(scope, resource, { source, filter, sort, memory, limit: per_page, offset })
  if (!filter) return { rows: await loading, total: state.live }
  const count = () => countOnce(memory, () => countMatches(scope, resource, filter, state.live, source))
  // A database that is far away is waited for once.
  const [rows, counted] = await Promise.all([loading, total === undefined && scope.engine.remote ? count() : total])
  // A page that is not full tells the total by itself.
  memory.total = rows.length > 0 && rows.length < per_page ? offset + rows.length : (counted ?? (await count()))
  return { rows, total: memory.total }
}

/** A page of the whole list, each row with the size of the list. */
async function loadWhole(scope: Scope, resource: Resource, part: Part): Promise<NumberedPage> {
  const besides = sql`, ${liveCount(scope, resource.type)} as live`
  const rows = await select(scope, resource, wholeList(scope, resource, part.sort), { ...part, besides })
  // The statement selects it besides.
  const [first] = rows as (ListedRow & { live: number })[]
  if (first) return { rows, total: first.live }
  // A first page without rows is that of a list without records. Behind the last page the size has to be asked for.
  if (part.offset === 0) return { rows, total: 0 }
  return inSnapshot(scope, (inside) => loadBehind(inside, resource, part))
}

/** A page that seems to be behind the last one. Records may have come since, which are then shown. */
async function loadBehind(inside: Scope, resource: Resource, part: Part): Promise<NumberedPage> {
  const { live } = await loadState(inside, resource.type)
  if (part.offset >= live) return { rows: [], total: live }
  return { rows: await select(inside, resource, wholeList(inside, resource, part.sort), part), total: live }
}

function loadSorted(scope: Scope, resource: Resource, wanted: Wanted & { filter?: Condition }): Promise<LightRow[]> {
  const { source, sort } = wanted
  const [only, ...others] = sort
  return only?.by === 'field' && others.length === 0 && !source.narrow
    ? loadFieldOrder(scope, resource, only, wanted)
    : select(scope, resource, source, wanted)
}

/** What is known about a filter of this actor. */
export function memoryFor(
  scope: Scope,
  resource: Resource,
  filter: Condition | undefined,
  state: WorkspaceState,
): Memory {
  // What is assigned to me is not what is assigned to others.
  const { workspace, actor } = scope
  const name = `${workspace.id} ${actor.user_id} ${resource.type} ${identityOf(filter)}`
  return memoryOf(scope.engine, name, state.version)
}

type Wanted = { source: Source; sort: readonly SortKey[]; memory: Memory; limit: number; offset: number }

/** A walk along keys that may change has a start. */
export type Walk = { start?: WalkStart; place?: Place; backwards: boolean; per_page: number }

/** The records behind a place in the order of the list: one more than asked for where there are more. */
export async function loadWalk(
  scope: Scope,
  resource: Resource,
  { filter, sort, start, place, backwards, per_page }: Listing & Walk,
): Promise<ListedRow[]> {
  // Without a filter there is nothing to be found out first.
  const state = filter ? await loadState(scope, resource.type) : { version: 0, live: 0 }
  const memory = memoryFor(scope, resource, filter, state)
  const source = await findSource(scope, resource, { filter, sort, live: state.live, backwards }, memory)
  const limit = per_page + 1
  if (start) return loadMovingWalk(scope, resource, source, { start, filter, sort, place, backwards, limit })
  return select(scope, resource, source, { sort, limit, offset: 0, place, backwards })
}

type Part = {
  sort: readonly SortKey[]
  limit: number
  offset: number
  place?: Place
  backwards?: boolean
  /** Further columns. */
  besides?: RawBuilder<unknown>
}

async function select(
  scope: Scope,
  resource: Resource,
  source: Source,
  { sort, limit, offset, place, backwards = false, besides = sql`` }: Part,
): Promise<ListedRow[]> {
  const order = source.order ?? orderBy(scope, sort, backwards)
  const behind = place ? sql`and ${isBehind(sort, place, backwards)}` : sql``
  const skip = offset === 0 ? sql`` : sql`offset ${offset}`
  const page = sql`${source.from} ${behind} order by ${order} limit ${sql.unseen(limit)} ${skip}`
  // Far into a list the ids are found first and their rows looked up then.
  const query =
    offset < limit && !source.thin
      ? sql`${source.with} select ${columnsOf(resource)} ${besides} ${page}`
      : sql`${source.with} ${lookedUpRows(scope, resource, sql`select r0.id as page_id ${page}`, besides)}
          order by ${orderBy(scope, sort, backwards)}`
  return run(source.few && offset === 0 ? short(scope.db) : scope.db, query)
}

async function run<Row extends ListedRow>(db: Db, query: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await query.execute(db)
  // The row is what the caller's statement selects.
  return rows as Row[]
}
