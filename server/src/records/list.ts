import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Definitions } from '@kith/contract/field-definition'
import { type Condition, identityOf } from '@kith/contract/filter'
import { type Issue, reportInto } from '@kith/contract/issue'
import { CURSOR_HOURS, HOUR_MS } from '@kith/contract/limits'
import { type ListQuery, parseListQuery, type SortKey } from '@kith/contract/list-query'
import { Refusal, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readingFields, requireSameFields } from '../fields/definitions.ts'
import { requireSmall } from '../scope/large-work.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { forShortRead, inSnapshot, type Scope } from '../scope/scope.ts'
import { OutOfTime } from '../storage/engines/time-limit.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'
import { type Place, placeOf } from '../storage/query/order.ts'
import { isOneStatement, loadPage, loadUnfiltered } from '../storage/query/pages.ts'
import { type Costly, type Expense, expensesOf } from '../storage/query/query-cost.ts'
import { loadScan, mayMove } from '../storage/query/scans.ts'
import { type FeedHead, loadFeedHead } from '../storage/tables/changes.ts'
import { type LightRow, loadStart, type ScanStart, type WithFields } from '../storage/tables/records.ts'
import { completeRows, shownKeys } from './complete-rows.ts'
import type { RawParameters } from './expected.ts'
import { type PresentedRecords, presentRecords } from './present.ts'
import { listFits } from './write-records.ts'

const NOT_OF_THIS_LIST =
  'The cursor was not made for this list. Send true for the first page, ' +
  'then the next_cursor of the previous page with the same sort and filter.'

const TOO_OLD =
  `The scan of this cursor began more than ${CURSOR_HOURS} hours ago, so that the cursor is no longer valid. ` +
  'Send true to start again.'

export type ListPage = PresentedRecords & { per_page: number } & (
    | { by: 'page'; page: number; total: number }
    | {
        by: 'cursor'
        next_cursor: string | null
        prev_cursor: string | null
        /** The position in the changes feed before the first page. */
        feed: FeedPlace | undefined
      }
  )

export async function listRecords(scope: Scope, resource: Resource, asked: RawParameters): Promise<ListPage> {
  requireAbilities(scope, ['read'])
  return readingFields(scope, (inside, definitions) => listWith(inside, resource, { asked, definitions }))
}

async function listWith(
  scope: Scope,
  resource: Resource,
  { asked, definitions }: { asked: RawParameters; definitions: Definitions },
): Promise<ListPage> {
  const issues: Issue[] = [...asked.issues]
  const query = parseListQuery(asked.raw, { resource, definitions, loose: asked.loose }, reportInto(issues))
  const position = readPosition(scope, { ...query, resource }, issues)
  refuseIfAny(issues)
  const list = { query, position, definitions }
  const costly = { resource, filter: query.filter, sort: query.sort, total: query.paging.by === 'page' }
  return explainingSlow(scope, costly, () => {
    if (isOneRead(list)) return loadList(forShortRead(scope), resource, list)
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

async function loadList(scope: Scope, resource: Resource, list: List): Promise<ListPage> {
  const { query } = list
  const { per_page, paging } = query
  const inOneSnapshot = () => inSnapshot(scope, (inside) => loadList(inside, resource, list))
  if (paging.by === 'page') {
    const numbered = { ...query, page: paging.page }
    const behind = () => inSnapshot(scope, (inside) => loadUnfiltered(inside, resource, numbered))
    const { rows, total } = (await loadPage(scope, resource, numbered)) ?? (await behind())
    if (needsMore(scope, rows)) return inOneSnapshot()
    const presented = await presentPage(scope, resource, { ...list, rows })
    return { ...presented, per_page, by: 'page' as const, page: paging.page, total }
  }
  const { rows, ...cursors } = await loadCursorPage(scope, resource, list)
  if (needsMore(scope, rows)) return inOneSnapshot()
  const presented = await presentPage(scope, resource, { ...list, rows })
  return { ...presented, per_page, by: 'cursor' as const, ...cursors }
}

/** Whether large records need further statements, which would read a later state than the first. */
function needsMore(scope: Scope, rows: readonly LightRow[]): boolean {
  requireSmall(
    scope,
    rows.reduce((sum, row) => sum + row.custom_bytes, 0),
  )
  return !scope.inside && rows.some((row) => row.custom_fields === null)
}

/** The rows with everything that is shown, as long as it fits into one response. */
async function presentPage(
  scope: Scope,
  resource: Resource,
  { rows, query, definitions }: List & { rows: readonly WithFields<LightRow>[] },
): Promise<PresentedRecords> {
  const [first] = rows
  if (first) requireSameFields(scope, first.fields_version)
  // Sorting by outdated options misses the records of a new option, which may be a whole page.
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
  if (position?.begun && scope.now().getTime() - position.begun.at > CURSOR_HOURS * HOUR_MS) {
    issues.push({ path: 'cursor', message: TOO_OLD })
  }
  return position
}

async function loadCursorPage(scope: Scope, resource: Resource, { query, position }: List) {
  const { per_page, sort, filter } = query
  const scanned: ListOrder = { resource, sort, filter }
  const backwards = position?.backwards ?? false
  // Before the rows are read: a change that they do not contain must come after it.
  const feed = position ? position.feed : await loadFeedHead(scope)
  const begun = position ? position.begun : await beginScan(scope, resource, sort)
  const scan = { filter, sort, start: begun, place: position?.place, backwards, per_page }
  const rows = await loadScan(scope, resource, scan)
  const more = rows.length > per_page
  if (more) rows.pop()
  if (backwards) rows.reverse()
  const cursorAt = (row: (typeof rows)[number] | undefined, onwards: boolean) =>
    row === undefined
      ? null
      : writeCursor(scope, scanned, { place: placeOf(row, sort), backwards: !onwards, begun, feed })
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

/** If keys of the order may change, the cursors hold the start of the scan. */
async function beginScan(scope: Scope, resource: Resource, sort: ListQuery['sort']): Promise<Begun | undefined> {
  if (!mayMove(sort)) return undefined
  const at = scope.now().getTime()
  return { ...(await loadStart(scope, resource.type)), at }
}

const NAMED_MAX = 3

/** Runs the work. If it takes too long, the refusal names the expensive part of the query and suggests a change. */
export function explainingSlow<T>(scope: Scope, query: Costly, work: () => Promise<T>): Promise<T> {
  return refusingSlow(work, (seconds) => slowQuery(seconds, query, expensesOf(scope, query)))
}

/** Like `explainingSlow`, for a search, which has one part with this name. */
export function explainingSlowSearch<T>(name: string, work: () => Promise<T>): Promise<T> {
  return refusingSlow(work, (seconds) => {
    const message = `The search took longer than ${seconds} s and was stopped. Search for a longer text.`
    return new Refusal({ kind: 'too_slow', message, expensive: [name] })
  })
}

async function refusingSlow<T>(work: () => Promise<T>, refusalAfter: (seconds: number) => Refusal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OutOfTime ? refusalAfter(error.seconds) : error
  }
}

function slowQuery(seconds: number, { resource }: Costly, expenses: readonly Expense[]): Refusal {
  const named = expenses.filter(({ kind }) => kind !== 'total').slice(0, NAMED_MAX)
  const total = expenses.some(({ kind }) => kind === 'total')
  const message = [
    `The query took longer than ${seconds} s and was stopped.`,
    named.length === 0
      ? `It reads all ${resource.type}.`
      : `The most expensive part: ${named.map(described).join(', ')}.`,
    ...(named.some(isProbe) ? [`No index can answer conditions like these, so all ${resource.type} are checked.`] : []),
    ...(total ? ['All matches are counted for the exact total.'] : []),
    `What to change: ${changes(named, total).join('; ')}.`,
  ].join(' ')
  return new Refusal({ kind: 'too_slow', message, expensive: expenses.map(({ path }) => path) })
}

function described({ path, times }: Expense): string {
  return times > 1 ? `${path} (${times} conditions)` : path
}

function isProbe({ kind }: Expense): boolean {
  return kind === 'probe'
}

/** The advice for each expensive part. */
function changes(named: readonly Expense[], total: boolean): string[] {
  const some = (isSo: (expense: Expense) => boolean, change: string) => (named.some(isSo) ? [change] : [])
  return [
    ...some(
      ({ kind, path }) => kind === 'probe' && path.includes('$not') && path.endsWith('$contains'),
      'use fewer $contains conditions under $not',
    ),
    ...some(({ kind }) => kind === 'probe', 'add a condition that an index can answer, such as $eq or $in on a field'),
    ...some(({ kind }) => kind === 'indexed', 'add a condition that fewer records meet'),
    ...some(({ kind }) => kind === 'sort', 'sort by one custom field only, or by created_at'),
    ...(total ? ['page with cursor=true, which needs no total'] : []),
    ...(named.length === 0 ? ['filter for fewer records'] : []),
  ]
}

/** The start of a scan along keys that may change, and its time. */
type Begun = ScanStart & { at: number }

/** A position in the changes feed. */
type FeedPlace = Pick<FeedHead, 'epoch' | 'sequence'>

/**
 * A position in a list, its direction, the start of the scan if keys may change, and the position in the changes feed
 * before its first page.
 */
type Position = { place: Place; backwards: boolean; begun?: Begun; feed?: FeedPlace }

export type ListOrder = { resource: Resource; sort: readonly SortKey[]; filter?: Condition }

const SIGNATURE_LENGTH = 22

/** An opaque text for a position, signed for one workspace, resource, sort and filter. */
export function writeCursor(scope: Scope, scanned: ListOrder, { place, backwards, begun, feed }: Position): string {
  const start: Start = begun ? [begun.clock, begun.newest, begun.at, begun.open] : null
  const parts: CursorParts = [backwards ? 1 : 0, place.id, place.keys, start]
  if (feed) parts.push([feed.sequence, feed.epoch])
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return text + signatureOf(scope, scanned, text)
}

/** The position of a cursor, or undefined if this service did not sign it for this list. */
export function readCursor(scope: Scope, scanned: ListOrder, cursor: string): Position | undefined {
  const text = cursor.slice(0, -SIGNATURE_LENGTH)
  const signature = Buffer.from(cursor.slice(-SIGNATURE_LENGTH))
  const expected = Buffer.from(signatureOf(scope, scanned, text))
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined
  // The signature shows that writeCursor wrote it.
  const [backwards, id, keys, begun, feed] = JSON.parse(Buffer.from(text, 'base64url').toString()) as CursorParts
  const position = {
    place: { keys, id },
    backwards: backwards === 1,
    ...(feed && { feed: { sequence: feed[0], epoch: feed[1] } }),
  }
  if (!begun) return position
  const [clock, newest, at, open = []] = begun
  return { ...position, begun: { clock, newest, at, open } }
}

type Start = [clock: number, newest: string, at: number, open?: readonly number[]] | null

/** Cursors of earlier versions lack the last parts. */
type CursorParts = [
  backwards: number,
  id: string,
  keys: readonly string[],
  begun?: Start,
  feed?: [sequence: number, epoch: string],
]

function signatureOf(scope: Scope, { resource, sort, filter }: ListOrder, text: string): string {
  const order = sort.map((key) => `${key.descending ? '-' : ''}${key.by === 'field' ? key.field.id : key.name}`)
  const bound = JSON.stringify([scope.workspace.id, resource.type, order, identityOf(filter), text])
  return createHmac('sha256', scope.secret).update(bound).digest('base64url').slice(0, SIGNATURE_LENGTH)
}
