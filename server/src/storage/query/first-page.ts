import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../../scope/scope.ts'
import { short } from '../engines/short.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { compileAll } from './filter.ts'
import { distinctIds, lookedUpLive } from './look-up.ts'
import type { Memory } from './memory.ts'
import { keysUnder, type ListedRow, orderBy } from './order.ts'
import { lookedUpRows, type NumberedPage } from './page-rows.ts'
import { conjunctsOf, type Settled, widthOf } from './plan.ts'
import type { RecordSet } from './sets.ts'
import { findSource, isByCreation, type Source } from './source.ts'

type First = { filter: Condition; sort: readonly SortKey[]; per_page: number; live: number }

/** The first page of a filter together with its total, where nobody has counted it yet and both are found by one statement. Undefined where they are better found apart. */
export async function loadFirstPage(
  scope: Scope,
  resource: Resource,
  first: First,
  memory: Memory,
): Promise<NumberedPage | undefined> {
  const few = memory.start === undefined ? await loadIfFew(scope, resource, first, memory) : undefined
  if (few) return few
  const { sort, per_page } = first
  const source = await findSource(scope, resource, { ...first, counting: true }, memory)
  return source.narrow && source.total === undefined ? loadCounted(scope, resource, source, sort, per_page) : undefined
}

/** A filter of one condition may turn out to have few matches while they are read. */
async function loadIfFew(
  scope: Scope,
  resource: Resource,
  { filter, sort, per_page, live }: First,
  memory: Memory,
): Promise<NumberedPage | undefined> {
  const [only, ...others] = conjunctsOf(scope, resource, filter)
  if (!only?.set || others.length > 0 || sort.some((key) => key.by === 'field')) return undefined
  const { condition, set } = only
  // To count in an index beforehand costs less than to put by what is read from it, unless the database is far away.
  if (set.within.length === 0 && !scope.engine.remote) return undefined
  const asked = { sort, per_page, bound: scope.engine.narrowMax(live) }
  const { width, page } = await readUpTo(scope, resource, { condition, set }, asked)
  memory.start = page ? { index: 0, width } : 'none'
  return page
}

type Asked = { sort: readonly SortKey[]; per_page: number; bound: number }

type Counted = ListedRow & { matches: number }

/** The width comes alone where there is no row. */
type Read = { width: number } & ({ id: null } | Counted)

/** Reads the set of a condition, up to a bound; the page is told where that was all of it. */
async function readUpTo(
  scope: Scope,
  resource: Resource,
  { condition, set }: Settled,
  { sort, per_page, bound }: Asked,
): Promise<{ width: number; page?: NumberedPage }> {
  const first = sql`and (select count(*) from gathered) <= ${bound}
    order by ${orderBy(scope, sort)} limit ${sql.unseen(per_page)}`
  const page = isKnownByIndex(set, sort)
    ? sql`select r0.id as page_id, (select count(*) from gathered) as matches
        from (select record_id as id, created_at from gathered) r0 where true ${first}`
    : sql`select r0.id as page_id, count(*) over () as matches
        ${lookedUpLive(scope, resource.type, sql`(${distinctIds(scope, sql`select record_id from gathered`)})`)}
        ${set.exact ? sql`` : sql`and ${compileAll(scope, [condition])}`} ${first}`
  const query = sql`with room as materialized (select ${roomFor(set, bound)} as entries),
    gathered as materialized (select * from (${set.select}) s limit (select entries from room))
    select case when entries = 0 then ${bound + 1} else (select count(*) from gathered) end as width, page.*
    from room left join (${lookedUpRows(scope, resource, page, sql`, p.matches`)}) page on true
    order by ${orderBy(scope, sort, false, keysUnder('page'))}`
  // The statement above selects these.
  const read = (await query.execute(scope.db)).rows as Read[]
  const width = read[0]?.width ?? 0
  if (width > bound) return { width }
  return { width, page: countedPage(read.flatMap((row) => (row.id === null ? [] : [row]))) }
}

/** One entry more than the bound tells that there are more. Where a set within is broad, this one is not read at all. */
function roomFor(set: RecordSet, bound: number): RawBuilder<unknown> {
  return set.within.reduceRight<RawBuilder<unknown>>(
    (room, inner) => sql`case when ${widthOf(inner, bound)} > ${bound} then 0 else ${room} end`,
    sql`cast(${bound + 1} as integer)`,
  )
}

/** Whether the index knows all that the order asks for, and has just the records that meet the condition. */
function isKnownByIndex(set: RecordSet, sort: readonly SortKey[]): boolean {
  return set.exact && set.dated && isByCreation(sort)
}

/** The first rows of a source that is gone through wholly, each with the number of all: they are gathered and probed once for both. */
async function loadCounted(
  scope: Scope,
  resource: Resource,
  source: Source,
  sort: readonly SortKey[],
  per_page: number,
): Promise<NumberedPage> {
  const order = orderBy(scope, sort)
  const first = sql`order by ${order} limit ${sql.unseen(per_page)}`
  // Those of which only id and time are known are put by; that takes less than to number them.
  const put = sql`with matching as materialized (select r0.id, r0.created_at ${source.from})`
  const page = source.thin
    ? sql`select r0.id as page_id, (select count(*) from matching) as matches from matching r0 ${first}`
    : sql`select r0.id as page_id, count(*) over () as matches ${source.from} ${first}`
  const rows = lookedUpRows(scope, resource, page, sql`, p.matches`)
  const query = sql`${source.thin ? put : source.with} ${rows} order by ${order}`
  const db = source.few ? short(scope.db) : scope.db
  // The statement above selects these.
  return countedPage((await query.execute(db)).rows as Counted[])
}

function countedPage(rows: Counted[]): NumberedPage {
  return { rows, total: rows[0]?.matches ?? 0 }
}
