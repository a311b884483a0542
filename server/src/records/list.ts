import type { Definitions } from '@kith/contract/field-definition'
import { type Issue, reportInto } from '@kith/contract/issue'
import { WALK_HOURS } from '@kith/contract/limits'
import { type ListQuery, parseListQuery } from '@kith/contract/list-query'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { definitionsOf } from '../fields/definitions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { placeOf } from '../storage/query/order.ts'
import { isOneStatement, loadPage } from '../storage/query/pages.ts'
import { loadWalk, mayMove } from '../storage/query/walks.ts'
import { loadStart } from '../storage/tables/key-moves.ts'
import type { LightRow } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { listFits } from './answer-size.ts'
import type { Asked } from './ask.ts'
import { shownKeys } from './complete-related.ts'
import { completeRows } from './complete-rows.ts'
import { type Begun, type Position, readCursor, type Walked, writeCursor } from './cursor.ts'
import { explainingSlow } from './explain-slow.ts'
import { type Presented, presentRecords } from './present.ts'

const NOT_OF_THIS_LIST =
  'The cursor was not made for this list. Send true for the first page, then the next_cursor of the previous page with the same sort and filter.'

const WALK_MS = WALK_HOURS * 3_600_000
const TOO_OLD = `The walk of this cursor began more than ${WALK_HOURS} hours ago, and where the records stood then is no longer known. Send true to begin anew.`

export type Listed = Presented & { per_page: number } & (
    | { by: 'page'; page: number; total: number }
    | { by: 'cursor'; next_cursor: string | null; prev_cursor: string | null }
  )

export async function listRecords(scope: Scope, resource: Resource, asked: Asked): Promise<Listed> {
  requireAbilities(scope, ['read'])
  const definitions = await definitionsOf(scope)
  const issues: Issue[] = [...asked.issues]
  const query = parseListQuery(asked.raw, { resource, definitions, loose: asked.loose }, reportInto(issues))
  const position = readPosition(scope, resource, query, issues)
  refuseIfAny(issues)
  const list = { query, position, definitions }
  const costly = { resource, filter: query.filter, sort: query.sort, total: query.paging.by === 'page' }
  return explainingSlow(scope, costly, () => {
    if (isReadAtOnce(list)) return loadList(scope, resource, list)
    return inSnapshot(scope, (inside) => loadList(inside, resource, list))
  })
}

type List = { query: ListQuery; position: Position | undefined; definitions: Definitions }

/** Whether all of the list is read by one statement: then beginning and ending a snapshot would only take time. */
function isReadAtOnce({ query, position }: List): boolean {
  const { paging, include, filter, sort, per_page } = query
  if (include.length > 0) return false
  if (paging.by === 'page') return isOneStatement(query, (paging.page - 1) * per_page)
  return !filter && (position !== undefined || !mayMove(sort))
}

async function loadList(scope: Scope, resource: Resource, list: List): Promise<Listed> {
  const { query, position, definitions } = list
  const { per_page, paging } = query
  const again = () => inSnapshot(scope, (inside) => loadList(inside, resource, list))
  if (paging.by === 'page') {
    const { rows, total } = await loadPage(scope, resource, { ...query, page: paging.page })
    if (needsMore(scope, rows)) return again()
    const presented = await presentPage(scope, resource, definitions, { rows, query })
    // Not copied: that would make the objects, of which only the text may be wanted.
    return Object.assign(presented, { per_page, by: 'page' as const, page: paging.page, total })
  }
  const walk = await loadCursorPage(scope, resource, query, position)
  if (needsMore(scope, walk.rows)) return again()
  const presented = await presentPage(scope, resource, definitions, { rows: walk.rows, query })
  const { next_cursor, prev_cursor } = walk
  return Object.assign(presented, { per_page, by: 'cursor' as const, next_cursor, prev_cursor })
}

/** Whether large records need further statements, which would see another moment than the first. */
function needsMore({ inside }: Scope, rows: readonly LightRow[]): boolean {
  return !inside && rows.some((row) => row.custom_fields === null)
}

type Page = { rows: readonly LightRow[]; query: ListQuery }

/** The rows with all that is shown of them, as long as it fits into one answer. */
async function presentPage(
  scope: Scope,
  resource: Resource,
  definitions: Definitions,
  { rows, query }: Page,
): Promise<Presented> {
  const { include, fields } = query
  const fits = listFits(scope, { records: rows.length, include })
  const keys = shownKeys(definitions, fields, resource.type)
  const complete = await completeRows(scope, resource.type, { rows, keys, fits })
  return presentRecords(scope, resource, definitions, complete, { include, fields, fits })
}

/** Where the cursor stands, if there is one. It is of no list while the sort or the filter is wrong, and only those are told then. */
function readPosition(
  scope: Scope,
  resource: Resource,
  { paging, sort, filter }: ListQuery,
  issues: Issue[],
): Position | undefined {
  if (paging.by === 'page' || paging.cursor === null) return undefined
  const position = readCursor(scope, { resource, sort, filter }, paging.cursor)
  const isList = !issues.some(({ path }) => path === 'sort' || path === 'filter' || path.startsWith('filter.'))
  if (!position && isList) issues.push({ path: 'cursor', message: NOT_OF_THIS_LIST })
  if (position?.begun && scope.now().getTime() - position.begun.at > WALK_MS) {
    issues.push({ path: 'cursor', message: TOO_OLD })
  }
  return position
}

async function loadCursorPage(scope: Scope, resource: Resource, query: ListQuery, position: Position | undefined) {
  const walked: Walked = { resource, sort: query.sort, filter: query.filter }
  const backwards = position?.backwards ?? false
  const { per_page, sort, filter } = query
  const begun = position ? position.begun : await beginWalk(scope, resource, sort)
  const rows = await loadWalk(scope, resource, {
    filter,
    sort,
    start: begun,
    place: position?.place,
    backwards,
    per_page,
  })
  const more = rows.length > per_page
  if (more) rows.pop()
  if (backwards) rows.reverse()
  const cursorAt = (row: (typeof rows)[number] | undefined, onwards: boolean) =>
    row === undefined ? null : writeCursor(scope, walked, { place: placeOf(row, sort), backwards: !onwards, begun })
  // Whoever came from somewhere can go back there; ahead there is something when one row more was found.
  const hasNext = backwards || more
  const hasPrevious = backwards ? more : position !== undefined
  return {
    rows,
    next_cursor: hasNext ? cursorAt(rows.at(-1), true) : null,
    prev_cursor: hasPrevious ? cursorAt(rows[0], false) : null,
  }
}

/** Where records may move while the list is walked, the walk remembers when it began. */
async function beginWalk(scope: Scope, resource: Resource, sort: ListQuery['sort']): Promise<Begun | undefined> {
  if (!mayMove(sort)) return undefined
  const at = scope.now().getTime()
  return { ...(await loadStart(scope, resource.type)), at }
}
