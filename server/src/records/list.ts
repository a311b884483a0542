import type { Definitions } from '@kith/contract/field-definition'
import { type Issue, reportInto } from '@kith/contract/issue'
import { HOUR_MS, WALK_HOURS } from '@kith/contract/limits'
import { type ListQuery, parseListQuery } from '@kith/contract/list-query'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readingFields, requireSameFields } from '../fields/definitions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { placeOf } from '../storage/query/order.ts'
import { isOneStatement, loadPage } from '../storage/query/pages.ts'
import { loadWalk, mayMove } from '../storage/query/walks.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { loadStart } from '../storage/tables/key-moves.ts'
import type { LightRow, WithFields } from '../storage/tables/records.ts'
import { loadFieldsVersion } from '../storage/tables/workspaces.ts'
import { requireAbilities } from './allow.ts'
import type { Asked } from './ask.ts'
import { completeRows, shownKeys } from './complete-rows.ts'
import { type Begun, type FeedPlace, type Position, readCursor, type Walked, writeCursor } from './cursor.ts'
import { explainingSlow } from './explain-slow.ts'
import { type Presented, presentRecords } from './present.ts'
import { listFits } from './write-records.ts'

const NOT_OF_THIS_LIST =
  'The cursor was not made for this list. Send true for the first page, ' +
  'then the next_cursor of the previous page with the same sort and filter.'

const TOO_OLD =
  `The walk of this cursor began more than ${WALK_HOURS} hours ago, so that the cursor is no longer valid. ` +
  'Send true to start again.'

export type Listed = Presented & { per_page: number } & (
    | { by: 'page'; page: number; total: number }
    | {
        by: 'cursor'
        next_cursor: string | null
        prev_cursor: string | null
        /** The place in the changes feed before the first page. */
        feed: FeedPlace | undefined
      }
  )

export async function listRecords(scope: Scope, resource: Resource, asked: Asked): Promise<Listed> {
  requireAbilities(scope, ['read'])
  return readingFields(scope, (inside, definitions) => listWith(inside, resource, { asked, definitions }))
}

async function listWith(
  scope: Scope,
  resource: Resource,
  { asked, definitions }: { asked: Asked; definitions: Definitions },
): Promise<Listed> {
  const issues: Issue[] = [...asked.issues]
  const query = parseListQuery(asked.raw, { resource, definitions, loose: asked.loose }, reportInto(issues))
  const position = readPosition(scope, { ...query, resource }, issues)
  refuseIfAny(issues)
  const list = { query, position, definitions }
  const costly = { resource, filter: query.filter, sort: query.sort, total: query.paging.by === 'page' }
  return explainingSlow(scope, costly, () => {
    if (isOneRead(list)) return loadList(scope, resource, list)
    return inSnapshot(scope, (inside) => loadList(inside, resource, list))
  })
}

type List = { query: ListQuery; position: Position | undefined; definitions: Definitions }

/** Whether one statement reads the list, so that it needs no snapshot. */
function isOneRead({ query, position }: List): boolean {
  const { paging, include, filter, sort, per_page } = query
  if (include.length > 0) return false
  if (paging.by === 'page') return isOneStatement(query, (paging.page - 1) * per_page)
  return !filter && (position !== undefined || !mayMove(sort))
}

async function loadList(scope: Scope, resource: Resource, list: List): Promise<Listed> {
  const { query } = list
  const { per_page, paging } = query
  const inOneSnapshot = () => inSnapshot(scope, (inside) => loadList(inside, resource, list))
  if (paging.by === 'page') {
    const { rows, total } = await loadPage(scope, resource, { ...query, page: paging.page })
    if (needsMore(scope, rows)) return inOneSnapshot()
    const presented = await presentPage(scope, resource, { ...list, rows })
    // Assigned and not copied: a copy would create the objects, although often only the text is used.
    return Object.assign(presented, { per_page, by: 'page' as const, page: paging.page, total })
  }
  const { rows, ...cursors } = await loadCursorPage(scope, resource, list)
  if (needsMore(scope, rows)) return inOneSnapshot()
  const presented = await presentPage(scope, resource, { ...list, rows })
  return Object.assign(presented, { per_page, by: 'cursor' as const, ...cursors })
}

/** Whether large records need further statements, which would read a later state than the first. */
function needsMore({ inside }: Scope, rows: readonly LightRow[]): boolean {
  return !inside && rows.some((row) => row.custom_fields === null)
}

/** The rows with everything that is shown of them, as long as it fits into one response. */
async function presentPage(
  scope: Scope,
  resource: Resource,
  { rows, query, definitions }: List & { rows: readonly WithFields<LightRow>[] },
): Promise<Presented> {
  const [first] = rows
  if (first) requireSameFields(scope, first.fields_version)
  // An order by the options of an earlier moment misses the records of a new option, which may be a whole page.
  else if (query.sort.some(({ by }) => by === 'field')) {
    requireSameFields(scope, await loadFieldsVersion(scope.db, scope.workspace.id))
  }
  const { include, fields } = query
  const fits = listFits(scope, { records: rows.length, include })
  const keys = shownKeys(definitions, fields, resource.type)
  const complete = await completeRows(scope, resource.type, { rows, keys, fits })
  return presentRecords(scope, resource, { definitions, rows: complete, include, fields, fits })
}

/** The position of the cursor, if there is one. If the sort or the filter is invalid, only those are reported. */
function readPosition(scope: Scope, list: ListQuery & { resource: Resource }, issues: Issue[]): Position | undefined {
  const { paging } = list
  if (paging.by === 'page' || paging.cursor === null) return undefined
  const position = readCursor(scope, list, paging.cursor)
  const isList = !issues.some(({ path }) => path === 'sort' || path === 'filter' || path.startsWith('filter.'))
  if (!position && isList) issues.push({ path: 'cursor', message: NOT_OF_THIS_LIST })
  if (position?.begun && scope.now().getTime() - position.begun.at > WALK_HOURS * HOUR_MS) {
    issues.push({ path: 'cursor', message: TOO_OLD })
  }
  return position
}

async function loadCursorPage(scope: Scope, resource: Resource, { query, position }: List) {
  const { per_page, sort, filter } = query
  const walked: Walked = { resource, sort, filter }
  const backwards = position?.backwards ?? false
  // Before the rows are read: a change that they do not show must come after it.
  const feed = position ? position.feed : await loadFeedHead(scope)
  const begun = position ? position.begun : await beginWalk(scope, resource, sort)
  const walk = { filter, sort, start: begun, place: position?.place, backwards, per_page }
  const rows = await loadWalk(scope, resource, walk)
  const more = rows.length > per_page
  if (more) rows.pop()
  if (backwards) rows.reverse()
  const cursorAt = (row: (typeof rows)[number] | undefined, onwards: boolean) =>
    row === undefined
      ? null
      : writeCursor(scope, walked, { place: placeOf(row, sort), backwards: !onwards, begun, feed })
  // There is always a page in the direction the cursor came from. In the other direction one more row shows it.
  const hasNext = backwards || more
  const hasPrevious = backwards ? more : position !== undefined
  return {
    rows,
    feed,
    next_cursor: hasNext ? cursorAt(rows.at(-1), true) : null,
    prev_cursor: hasPrevious ? cursorAt(rows[0], false) : null,
  }
}

/** If keys of the order may change, the cursors hold the start of the walk. */
async function beginWalk(scope: Scope, resource: Resource, sort: ListQuery['sort']): Promise<Begun | undefined> {
  if (!mayMove(sort)) return undefined
  const at = scope.now().getTime()
  return { ...(await loadStart(scope, resource.type)), at }
}
