import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../scope.ts'
import { loadLiveCount } from './counts.ts'
import { compileFilter } from './filter.ts'
import { isBehind, orderBy, type Place } from './order.ts'
import { type RecordRow, shownColumns } from './records.ts'

type Listing = { filter?: Condition; sort: readonly SortKey[] }

export type NumberedPage = { rows: RecordRow[]; total: number }

/** One numbered page, and how many records there are on all of them. */
export async function loadPage(
  scope: Scope,
  resource: Resource,
  { filter, sort, page, per_page }: Listing & { page: number; per_page: number },
): Promise<NumberedPage> {
  const matching = matchingRecords(scope, resource, filter)
  const offset = (page - 1) * per_page
  const [rows, counted] = await Promise.all([
    run<RecordRow>(
      scope,
      sql`select ${columnsOf(resource)} ${late(scope, resource, matching, sort, per_page, offset)}`,
    ),
    filter ? undefined : loadLiveCount(scope, resource.type),
  ])
  if (counted !== undefined) return { rows, total: counted }
  // A page that is not full tells the total by itself.
  if (rows.length > 0 && rows.length < per_page) return { rows, total: offset + rows.length }
  const [count] = await run<{ total: number }>(scope, sql`select count(*) as total ${matching}`)
  return { rows, total: count?.total ?? 0 }
}

export type Walk = { place?: Place; backwards: boolean; per_page: number }

/** The records behind a place in the order of the list: one more than asked for where there are more. */
export function loadWalk(
  scope: Scope,
  resource: Resource,
  { filter, sort, place, backwards, per_page }: Listing & Walk,
): Promise<(RecordRow & { name_key: string })[]> {
  const matching = matchingRecords(scope, resource, filter)
  const behind = place ? sql`and ${isBehind(sort, place, backwards)}` : sql``
  return run(
    scope,
    sql`select ${columnsOf(resource)}, r0.name_key ${matching} ${behind}
      order by ${orderBy(scope, sort, backwards)} limit ${per_page + 1}`,
  )
}

/** `from … where …` of the live records that meet the filter. */
function matchingRecords(scope: Scope, resource: Resource, filter: Condition | undefined): RawBuilder<unknown> {
  const meets = filter ? sql`and ${compileFilter(scope, filter)}` : sql``
  return sql`from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.deleted_at is null ${meets}`
}

function columnsOf(resource: Resource): RawBuilder<unknown> {
  return sql.raw(shownColumns(resource))
}

/** Finds the ids of a page first and looks up their rows then, so that skipping pages does not read what is skipped. */
function late(
  scope: Scope,
  resource: Resource,
  matching: RawBuilder<unknown>,
  sort: readonly SortKey[],
  limit: number,
  offset: number,
): RawBuilder<unknown> {
  if (offset === 0) return sql`${matching} order by ${orderBy(scope, sort)} limit ${limit}`
  return sql`from ${sql.table(resource.type)} r0 where r0.workspace_id = ${scope.workspace.id} and r0.id in (
      select r0.id ${matching} order by ${orderBy(scope, sort)} limit ${limit} offset ${offset})
    order by ${orderBy(scope, sort)}`
}

async function run<Row>(scope: Scope, query: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await query.execute(scope.db.query)
  // The row is what the statement above selects.
  return rows as Row[]
}
