import type { Condition } from '@kith/contract/filter'
import { identityOf } from '@kith/contract/filter-identity'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../scope.ts'
import { countMatches } from './count-matches.ts'
import { loadState, type WorkspaceState } from './counts.ts'
import type { Db } from './engine.ts'
import { loadFieldOrder } from './field-order.ts'
import { loadFirstPage } from './first-page.ts'
import type { WalkStart } from './key-moves.ts'
import { countOnce, keepMilestone, keepPage, type Memory, memoryOf, milestoneBefore } from './memory.ts'
import { loadMovingWalk } from './moving-walk.ts'
import { isBehind, type ListedRow, orderBy, type Place, placeOf } from './order.ts'
import { columnsOf, lookedUpRows, type NumberedPage } from './page-rows.ts'
import { type RecordRow, shownColumns } from './records.ts'
import { short } from './short.ts'
import { findSource, type Source, wholeList } from './source.ts'
import { type RawBuilder, sql } from './sql.ts'

export type Listing = { filter?: Condition; sort: readonly SortKey[] }

/** One numbered page, and how many records there are on all of them. */
export async function loadPage(
  scope: Scope,
  resource: Resource,
  { filter, sort, page, per_page }: Listing & { page: number; per_page: number },
): Promise<NumberedPage> {
  if (!filter && page === 1 && sort.every((key) => key.by === 'attribute')) {
    // The beginning of the list and its size are asked for at once: a database that is far away is waited for once.
    const source = wholeList(scope, resource, sort)
    const [rows, { live }] = await Promise.all([
      select(scope, resource, source, { sort, limit: per_page, offset: 0 }),
      loadState(scope, resource.type),
    ])
    return { rows, total: live }
  }
  const state = await loadState(scope, resource.type)
  const memory = memoryFor(scope, resource, filter, state)
  const offset = (page - 1) * per_page
  const total = filter ? memory.total : state.live
  if (total !== undefined && offset >= total) return { rows: [], total }
  const name = `${sortName(sort)} ${offset} ${per_page}`
  const again = total === undefined ? undefined : await loadKept(scope, resource, memory.pages.get(name))
  if (total !== undefined && again) return { rows: again, total }
  if (filter && total === undefined && offset === 0) {
    const first = await loadFirstPage(scope, resource, { filter, sort, per_page, live: state.live }, memory)
    if (first) return keptFirst(memory, name, first)
  }
  const source = await findSource(scope, resource, { filter, sort, live: state.live }, memory)
  const loading = loadSorted(scope, resource, { source, filter, sort, memory, limit: per_page, offset })
  if (!filter) return { rows: await loading, total: state.live }
  const count = () => countOnce(memory, () => countMatches(scope, resource, filter, state.live, source))
  // A database that is far away is waited for once.
  const [rows, counted] = await Promise.all([loading, total === undefined && scope.engine.remote ? count() : total])
  keepPage(memory, name, rows.map(idOf))
  // A page that is not full tells the total by itself.
  memory.total = rows.length > 0 && rows.length < per_page ? offset + rows.length : (counted ?? (await count()))
  return { rows, total: memory.total }
}

function idOf({ id }: RecordRow): string {
  return id
}

function keptFirst(memory: Memory, name: string, page: NumberedPage): NumberedPage {
  memory.total = page.total
  keepPage(memory, name, page.rows.map(idOf))
  return page
}

function loadSorted(scope: Scope, resource: Resource, wanted: Wanted & { filter?: Condition }): Promise<RecordRow[]> {
  const { source, sort } = wanted
  const [only, ...others] = sort
  return only?.by === 'field' && others.length === 0 && !source.narrow
    ? loadFieldOrder(scope, resource, only, wanted)
    : loadRows(scope, resource, wanted)
}

/** Rows that were on a page before, unless one of them has gone meanwhile. */
async function loadKept(scope: Scope, resource: Resource, ids: readonly string[] | undefined) {
  if (!ids || ids.length === 0) return undefined
  const query = sql<RecordRow>`select ${sql.raw(shownColumns(resource))} from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id in (${sql.join(ids)}) and r0.deleted_at is null`
  const found = new Map((await query.execute(short(scope.db))).rows.map((row) => [row.id, row]))
  const rows = ids.flatMap((id) => found.get(id) ?? [])
  return rows.length === ids.length ? rows : undefined
}

function sortName(sort: readonly SortKey[]): string {
  return sort.map((key) => `${key.descending ? '-' : ''}${key.by === 'field' ? key.field.id : key.name}`).join()
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
  return memoryOf(`${workspace.id} ${actor.user_id} ${resource.type} ${identityOf(filter)}`, state.version)
}

type Wanted = { source: Source; sort: readonly SortKey[]; memory: Memory; limit: number; offset: number }

/** The rows at an offset. Where a place near by is remembered, the walk begins there and not at the beginning. */
async function loadRows(
  scope: Scope,
  resource: Resource,
  { source, sort, memory, limit, offset }: Wanted,
): Promise<ListedRow[]> {
  const native = sort.every((key) => key.by === 'attribute')
  if (offset === 0 || !native) return select(scope, resource, source, { sort, limit, offset })
  const name = sortName(sort)
  const known = milestoneBefore(memory, name, offset)
  if (known?.offset === offset) return select(scope, resource, source, { sort, limit, offset: 0, place: known.place })
  // One row more in front: it is the place from which this very page can be found again.
  const skipped = offset - 1 - (known?.offset ?? 0)
  const rows = await select(scope, resource, source, { sort, limit: limit + 1, offset: skipped, place: known?.place })
  const [before, ...page] = rows
  if (before) keepMilestone(memory, name, { offset, place: placeOf(before, sort) })
  const last = page.at(-1)
  if (last && page.length === limit) keepMilestone(memory, name, { offset: offset + limit, place: placeOf(last, sort) })
  return page
}

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

type Part = { sort: readonly SortKey[]; limit: number; offset: number; place?: Place; backwards?: boolean }

async function select(
  scope: Scope,
  resource: Resource,
  source: Source,
  { sort, limit, offset, place, backwards = false }: Part,
): Promise<ListedRow[]> {
  const order = source.order ?? orderBy(scope, sort, backwards)
  const behind = place ? sql`and ${isBehind(sort, place, backwards)}` : sql``
  const skip = offset === 0 ? sql`` : sql`offset ${offset}`
  const page = sql`${source.from} ${behind} order by ${order} limit ${sql.unseen(limit)} ${skip}`
  // Far into a list the ids are found first and their rows looked up then.
  const query =
    offset < limit && !source.thin
      ? sql`${source.with} select ${columnsOf(resource)} ${page}`
      : sql`${source.with} ${lookedUpRows(scope, resource, sql`select r0.id as page_id ${page}`)}
          order by ${orderBy(scope, sort, backwards)}`
  return run(source.few && offset === 0 ? short(scope.db) : scope.db, query)
}

async function run<Row extends ListedRow>(db: Db, query: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await query.execute(db)
  // The row is what the caller's statement selects.
  return rows as Row[]
}
