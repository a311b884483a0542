import type { TrashedRecord } from '@kith/contract/app/trash'
import type { stamps } from '@kith/contract/declare'
import type { WireValue } from '@kith/contract/field-type'
import { SUMMARY_GROUPS_MAX } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import type { SummaryQuery, SummaryRow } from '@kith/contract/summary'
import type { SearchResult } from '@kith/sdk'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call, callForData, documentQuery, type PageOf, searchOf } from './call.ts'

/** A record as any answer of the API shows it, whatever its resource. */
export type ApiRecord = {
  id: string
  type: ResourceName
  attributes: Record<string, unknown> &
    Record<keyof typeof stamps, string> & {
      custom_fields: Record<string, WireValue>
      /** The ids of other systems, where they were asked for. */
      external_ids?: Record<string, readonly string[]>
    }
  relationships?: Record<string, { data: Linkage }>
}

type Identifier = { id: string; type: string }

export type Linkage = Identifier | Identifier[] | null

/** A record or a user that came along with others. */
export type IncludedObject = { id: string; type: string; attributes: Record<string, unknown> }

export type RecordDocument = { data: ApiRecord; included?: IncludedObject[] }

export type RecordPage = {
  data: ApiRecord[]
  included?: IncludedObject[]
  meta: { total: number; current_page: number; last_page: number; per_page: number }
}

/** The name of a record or user: every resource calls it name or title. */
export function nameOf({ attributes }: { attributes: Record<string, unknown> }): string {
  const name = attributes.name ?? attributes.title
  return typeof name === 'string' ? name : ''
}

/** The keys of everything that is remembered about the records of a resource; live updates call by them. */
export function recordsKey(slug: string, resource: string): readonly unknown[] {
  return [slug, 'records', resource]
}

/** The key of the timelines of records, which also show the notes and tasks that are linked to them. */
export function activityKey(slug: string): readonly unknown[] {
  return [slug, 'activity']
}

/** Loads the visible records of a resource again, and the open record of another one: it counts those that name it. */
export async function refreshRecords(queries: QueryClient, slug: string, resource: string): Promise<void> {
  const isOther = ({ queryKey: [of, what, name, kind] }: { queryKey: readonly unknown[] }) =>
    of === slug && what === 'records' && name !== resource && kind === 'document'
  await Promise.all([
    queries.invalidateQueries({ predicate: isOther }),
    queries.invalidateQueries({ queryKey: recordsKey(slug, resource) }),
    queries.invalidateQueries({ queryKey: activityKey(slug) }),
  ])
}

/** The records that have all words of a query, the best matches first. */
export async function searchRecords(
  slug: string,
  wanted: { q: string; resource?: ResourceName; per_page?: number },
  signal: AbortSignal,
): Promise<({ id: string } & SearchResult['attributes'])[]> {
  const found = await callForData<SearchResult[]>('GET', `/w/${slug}/v1/search${searchOf(wanted)}`, { signal })
  return found.map(({ id, attributes }) => ({ id, ...attributes }))
}

/** Creates a record that has a name only. The same key creates it once. */
export function createNamed(
  slug: string,
  { resource, label, name, key }: { resource: ResourceName; label: string; name: string; key: string },
): Promise<ApiRecord> {
  return callForData('POST', `/w/${slug}/v1/${resource}`, { body: { [label]: name }, key })
}

/** Deleted records that can still be restored, of one resource or of all. */
export function trashQuery(slug: string, resource: ResourceName | undefined, page: number) {
  return queryOptions({
    ...documentQuery<PageOf<TrashedRecord>>(
      [slug, 'trash', resource, page],
      `/w/${slug}/trash${searchOf({ resource, page, per_page: 50 })}`,
    ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

export type SummaryRequest = {
  resource: ResourceName
  filter?: object
  measure: Exclude<SummaryQuery['measure'], 'distinct'>
  field?: string
  group_by?: string
  period?: SummaryQuery['period']
  sort?: SummaryQuery['sort']
}

/** `key` is the id of an option or record, a period, null for records without one, or `other`. */
export type SummaryGroup = { key: string | null; label: string; value: number | null; count: number }

/** Numbers of records in groups. Live updates reload all of them. */
export function summaryQuery(slug: string, asked: SummaryRequest) {
  const { resource, group_by, ...rest } = asked
  const body = { ...rest, group_by: group_by === undefined ? [] : [group_by], limit: SUMMARY_GROUPS_MAX }
  return queryOptions({
    queryKey: [slug, 'summaries', asked],
    queryFn: async ({ signal }): Promise<{ data: SummaryGroup[] }> => {
      const summary = await call<Summary>('POST', `/w/${slug}/v1/${resource}/summary`, { body, signal })
      const { other } = summary.meta
      const rest = other ? [{ key: 'other', label: 'Other', ...other }] : []
      const shown = summary.data.map(({ keys: [key], ...numbers }) => {
        return { key: key?.id ?? null, label: key?.label ?? 'All', ...numbers }
      })
      return { data: [...shown, ...rest] }
    },
  })
}

/** No dates are measured here. */
type Numbers = { value: number | null; count: number }

type Summary = { data: ({ keys: SummaryRow['keys'] } & Numbers)[]; meta: { other: Numbers | null } }
