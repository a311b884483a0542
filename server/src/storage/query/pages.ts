import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { liveCount, loadLiveCount } from '../tables/counts.ts'
import { type LightRow, listedColumns, type WithFields } from '../tables/records.ts'
import { countMatches } from './counts.ts'
import { loadFieldOrder } from './field-order.ts'
import { isBehind, type ListedRow, orderBy, type Place } from './order.ts'
import { type Plan, planList, wholeList } from './plan.ts'

export type Listing = { filter?: Condition; sort: readonly SortKey[] }

type NumberedPage = { rows: WithFields<LightRow>[]; total: number }

/** Up to this offset a page behind the last one is cheap to find. */
const NEAR = 1000

/** Whether a page and its total are one statement. Otherwise they are read in a snapshot. */
export function isOneStatement({ filter, sort }: Listing, offset: number): boolean {
  return !filter && offset <= NEAR && sort.every((key) => key.by !== 'field')
}

/** One numbered page, and the number of records on all pages. */
export async function loadPage(
  scope: Scope,
  resource: Resource,
  { filter, sort, page, per_page }: Listing & { page: number; per_page: number },
): Promise<NumberedPage> {
  const offset = (page - 1) * per_page
  const part = { sort, limit: per_page, offset }
  if (isOneStatement({ filter, sort }, offset)) return loadWhole(scope, resource, part)
  const live = await loadLiveCount(scope, resource.type)
  if (!filter) {
    const rows = offset < live ? await loadSorted(scope, resource, { ...part, plan: wholeList(scope, resource) }) : []
    return { rows, total: live }
  }
  const plan = await planList(scope, resource, { filter, sort, live, counting: true })
  const count = () => countMatches(scope, resource, { filter, live, plan })
  if (plan.narrow && plan.total === undefined) {
    const { rows, total } = await loadCounted(scope, resource, { ...part, plan, total: sql`count(*) over ()` })
    return { rows, total: total ?? (offset === 0 ? 0 : await count()) }
  }
  // A remote database gets both statements at once, so that the request waits for it once.
  const counting = scope.engine.remote ? count() : undefined
  const [rows, counted] = await Promise.all([loadSorted(scope, resource, { ...part, plan, filter }), counting])
  // A page that is not full is the last one, which gives the total.
  const isLast = rows.length > 0 && rows.length < per_page
  return { rows, total: isLast ? offset + rows.length : (counted ?? (await count())) }
}

/** A page of the whole list, each row with the size of the list. */
async function loadWhole(scope: Scope, resource: Resource, part: Part): Promise<NumberedPage> {
  const counted = { ...part, plan: wholeList(scope, resource), total: liveCount(scope, resource.type) }
  const { rows, total } = await loadCounted(scope, resource, counted)
  if (total !== undefined || part.offset === 0) return { rows, total: total ?? 0 }
  return inSnapshot(scope, (inside) => loadBehind(inside, resource, part))
}

/** A page whose rows have the total. A page without rows has none. */
async function loadCounted(
  scope: Scope,
  resource: Resource,
  counted: Part & { plan: Plan; total: Sql<unknown> },
): Promise<{ rows: ListedRow[]; total: number | undefined }> {
  const rows = await loadRows(scope, resource, counted)
  // The statement selects it, too.
  const [first] = rows as (ListedRow & { matches: number })[]
  return { rows, total: first?.matches }
}

/** A page that seems to be behind the last one. If records were added since, it shows them. */
async function loadBehind(inside: Scope, resource: Resource, part: Part): Promise<NumberedPage> {
  const total = await loadLiveCount(inside, resource.type)
  if (part.offset >= total) return { rows: [], total }
  return { rows: await loadRows(inside, resource, { ...part, plan: wholeList(inside, resource) }), total }
}

function loadSorted(
  scope: Scope,
  resource: Resource,
  wanted: Part & { plan: Plan; filter?: Condition },
): Promise<WithFields<LightRow>[]> {
  const [key, ...others] = wanted.sort
  return key?.by === 'field' && others.length === 0 && !wanted.plan.narrow
    ? loadFieldOrder(scope, resource, { ...wanted, key })
    : loadRows(scope, resource, wanted)
}

type Part = {
  sort: readonly SortKey[]
  limit: number
  offset: number
  place?: Place
  backwards?: boolean
  /** Counts the records on all pages, as a column `matches` of each row. */
  total?: Sql<unknown>
  /** Others than those of a list. */
  columns?: Sql<unknown>
}

/** The rows of a plan in the order of the list, from an offset or behind a place. */
export async function loadRows(
  scope: Scope,
  resource: Resource,
  { plan, sort, limit, offset, place, backwards = false, total, columns: shown }: Part & { plan: Plan },
): Promise<ListedRow[]> {
  const order = orderBy(scope, { sort, backwards })
  const behind = place ? sql`and ${isBehind({ sort, backwards }, place)}` : sql``
  const skip = offset === 0 ? sql`` : sql`offset ${offset}`
  const page = sql`${plan.from} ${behind} order by ${plan.order ?? order} limit ${sql.unseen(limit)} ${skip}`
  const columns = sql`${shown ?? listedColumns(scope, resource)}, r0.name_key`
  const counted = total ? sql`, ${total} as matches` : sql``
  if (offset < limit && !plan.indexOnly && !(plan.narrow && total)) {
    return sql<ListedRow>`${plan.with} select ${columns} ${counted} ${page}`.all(scope.db)
  }
  // Only ids are read up to a deep page, or of a set that is counted, and then the rows of that page.
  const rows = scope.engine.hints.lookUpEach({
    each: sql`(select r0.id as page_id ${counted} ${page}) p`,
    table: resource.type,
    alias: 'r0',
    where: sql`r0.workspace_id = ${scope.workspace.id} and r0.id = p.page_id`,
  })
  const kept = total ? sql`, p.matches` : sql``
  return sql<ListedRow>`${plan.with} select ${columns} ${kept} ${rows} order by ${order}`.all(scope.db)
}
