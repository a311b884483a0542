import type { ResourceName } from '@kith/contract/resource'
import { queryOptions, useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { type Included, includedIn } from '../../properties/related.ts'
import type { ListQuery } from './list-query.ts'

export const PAGE_SIZE = 100
/** While the user drags the scrollbar, only the position where it stops is loaded. */
const SETTLE_MS = 70

type Visible = { first: number; last: number }

export type Row = { record: ApiRecord; included: Included }

/** The part of a list that is on the screen, out of any number of records. */
export type RecordWindow = {
  /** Undefined until the first answer. */
  total: number | undefined
  /** Undefined where the record has not come yet. */
  rowAt(index: number): Row | undefined
  error: Error | null
  retry(): void
}

export function useRecordWindow(resource: ResourceName, query: ListQuery, visible: Visible): RecordWindow {
  const slug = useSlug()
  const queries = useQueryClient()
  const settled = useSettled(visible)
  const asked = useMemo(
    () => pagesOf(settled).map((page) => pageQuery(slug, resource, { query, page })),
    [slug, resource, query, settled],
  )
  const results = useQueries({ queries: asked })
  const total = useLastTotal(`${slug} ${resource}`, results.find(({ data }) => data)?.data?.meta.total)
  const failed = results.find(({ error }) => error)
  const shown = useShownQuery(query, failed !== undefined || results.some(({ data }) => data))
  const kept = useMemo(() => ({ pages: new WeakMap<RecordPage, Included>(), rows: new WeakMap<ApiRecord, Row>() }), [])
  // Looked up once for each page and drawing, not for each row.
  const pages = new Map<number, RecordPage | undefined>()
  const pageOf = (number: number): RecordPage | undefined => {
    if (!pages.has(number))
      pages.set(number, queries.getQueryData(pageQuery(slug, resource, { query: shown, page: number }).queryKey))
    return pages.get(number)
  }
  const rowAt = (index: number): Row | undefined => {
    const page = pageOf(pageAt(index))
    const record = page?.data[index % PAGE_SIZE]
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
  const retry = () => {
    for (const result of results) if (result.error) result.refetch()
  }
  return { total, rowAt, error: failed && !failed.data ? failed.error : null, retry }
}

type PageWanted = { query: ListQuery; page: number }

export function pageQuery(slug: string, resource: ResourceName, { query, page }: PageWanted) {
  return queryOptions({
    queryKey: [...recordsKey(slug, resource), 'list', query, page],
    queryFn: ({ signal }) => {
      const body = { per_page: PAGE_SIZE, page, ...query }
      return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
    },
  })
}

function pageAt(index: number): number {
  return Math.floor(index / PAGE_SIZE) + 1
}

function pagesOf({ first, last }: Visible): number[] {
  const pages: number[] = []
  for (let page = pageAt(first); page <= pageAt(Math.max(first, last)); page++) pages.push(page)
  return pages
}

/** Follows what is visible as soon as it stays the same for a moment; the first time at once. */
function useSettled({ first, last }: Visible): Visible {
  const [settled, setSettled] = useState({ first, last })
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ first, last }), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [first, last])
  return settled
}

/** While a new filter or sort is on its way the list shows what it had. */
function useShownQuery(query: ListQuery, ready: boolean): ListQuery {
  const kept = useRef(query)
  if (ready) kept.current = query
  return kept.current
}

/** While a new filter is on its way the list keeps its length, so that nothing jumps. */
function useLastTotal(list: string, total: number | undefined): number | undefined {
  const kept = useRef<{ list: string; total: number | undefined }>({ list, total })
  if (kept.current.list !== list || total !== undefined) kept.current = { list, total }
  return kept.current.total
}
