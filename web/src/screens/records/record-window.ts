import type { ResourceName } from '@kith/contract/resource'
import { queryOptions, useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { shownFailure } from '../../api/problems.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { type IncludedRecords, includedIn } from '../../properties/related.ts'
import type { Group } from './groups/grouping.ts'
import type { ListQuery } from './list-query.ts'
import { pageOf, pagesBetween, placeSegments, type Segment, segmentAt } from './segments.ts'

export const PAGE_SIZE = 100
/** While the user drags the scrollbar, only the position where it stops is loaded. */
const SETTLE_MS = 70
/** Before the first answer so many rows are drawn as outlines. */
export const OUTLINES = 24

type RowRange = { first: number; last: number }

export type RecordRow = { record: ApiRecord; included: IncludedRecords }

/** The part of a list that is on the screen, out of any number of records. */
export type RecordWindow = {
  /** The number of rows, heads of groups included. Undefined until the first answer. */
  total: number | undefined
  /** Undefined where the record has not come yet, and for the head of a group. */
  rowAt(index: number): RecordRow | undefined
  /** The group whose head a row is. */
  groupAt(index: number): (Group & { open: boolean }) | undefined
  /** The groups of the list in their order, and the place among them of the one that a row is in. */
  groups: readonly Group[]
  groupPlaceOf(index: number): number
  error: Error | null
  retry(): void
}

/** `segments` is undefined while it is not known which there are. */
export function useRecordWindow(
  resource: ResourceName,
  segments: readonly Segment[] | undefined,
  visible: RowRange,
): RecordWindow {
  const slug = useSlug()
  const queries = useQueryClient()
  const settled = useSettled(visible)
  const isGrouped = segments === undefined || segments.some(({ group }) => group)
  const asked = useMemo(() => {
    // Whether a list without groups goes on is not known before its records have come.
    const placed = placeSegments(segments ?? [], Number.POSITIVE_INFINITY)
    return pagesBetween(placed, settled, PAGE_SIZE).map((wanted) => pageQuery(slug, resource, wanted))
  }, [slug, resource, segments, settled])
  const results = useQueries({ queries: asked })
  const counted = isGrouped ? undefined : results.find(({ data }) => data)?.data?.meta.total
  const records = useLastTotal(`${slug} ${resource}`, counted)
  const failed = results.find(({ error }) => error)
  const ready = asked.length === 0 || failed !== undefined || results.some(({ data }) => data)
  const shown = useShown(segments, ready)
  const placed = useMemo(() => placeSegments(shown ?? [], records ?? OUTLINES), [shown, records])
  const kept = useMemo(
    () => ({ pages: new WeakMap<RecordPage, IncludedRecords>(), rows: new WeakMap<ApiRecord, RecordRow>() }),
    [],
  )
  // Looked up once for each page and drawing, not for each row.
  const pages = new Map<string, RecordPage | undefined>()
  const pageAt = (head: number, query: ListQuery, page: number): RecordPage | undefined => {
    const place = `${head} ${page}`
    if (!pages.has(place)) pages.set(place, queries.getQueryData(pageQuery(slug, resource, { query, page }).queryKey))
    return pages.get(place)
  }
  const rowAt = (index: number): RecordRow | undefined => {
    const segment = segmentAt(placed, index)
    if (!segment || index < segment.first) return undefined
    const place = index - segment.first
    const page = pageAt(segment.head, segment.query, pageOf(place, PAGE_SIZE))
    const record = page?.data[place % PAGE_SIZE]
    if (!page || !record) return undefined
    const included = kept.pages.get(page) ?? includedIn(page)
    kept.pages.set(page, included)
    // Keep the same row object for the same record, so that unchanged rows do not render again while scrolling.
    const known = kept.rows.get(record)
    if (known?.included === included) return known
    const row = { record, included }
    kept.rows.set(record, row)
    return row
  }
  const groupAt = (index: number) => {
    const segment = segmentAt(placed, index)
    return segment?.group && index === segment.head ? { ...segment.group, open: segment.open ?? true } : undefined
  }
  const retry = () => {
    for (const result of results) if (result.error) result.refetch()
  }
  const total = isGrouped ? shown && (placed.at(-1)?.end ?? 0) : records
  const groups = useMemo(() => placed.flatMap(({ group }) => (group ? [group] : [])), [placed])
  const groupPlaceOf = (index: number) => {
    const group = segmentAt(placed, index)?.group
    return group ? groups.indexOf(group) : -1
  }
  return { total, rowAt, groupAt, groups, groupPlaceOf, error: failed ? shownFailure(failed) : null, retry }
}

export function pageQuery(slug: string, resource: ResourceName, { query, page }: { query: ListQuery; page: number }) {
  return queryOptions({
    queryKey: [...recordsKey(slug, resource), 'list', query, page],
    queryFn: ({ signal }) => {
      const body = { per_page: PAGE_SIZE, page, ...query }
      return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
    },
  })
}

/** Follows what is visible as soon as it stays the same for a moment; the first time at once. */
function useSettled({ first, last }: RowRange): RowRange {
  const [settled, setSettled] = useState({ first, last })
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ first, last }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [first, last])
  return settled
}

/** While a new filter or sort is on its way the list shows what it had. */
function useShown(segments: readonly Segment[] | undefined, ready: boolean): readonly Segment[] | undefined {
  const kept = useRef(segments)
  if (ready && segments) kept.current = segments
  return kept.current
}

/** While a new filter is on its way the list keeps its length, so that nothing jumps. */
function useLastTotal(list: string, total: number | undefined): number | undefined {
  const kept = useRef<{ list: string; total: number | undefined }>({ list, total })
  if (kept.current.list !== list || total !== undefined) kept.current = { list, total }
  return kept.current.total
}
