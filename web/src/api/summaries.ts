import type { ResourceName } from '@kith/contract/resource'
import { queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'

export type SummaryAsked = {
  resource: ResourceName
  filter?: object
  measure: 'count' | 'sum' | 'average' | 'minimum' | 'maximum'
  field?: string
  group_by?: string
}

/** `key` is the id of an option or record, a month, null for records without one, or `other`. */
export type SummaryGroup = { key: string | null; label: string; value: number | null; count: number }

type Summary = { data: SummaryGroup[]; meta?: { currency: string | null } }

/** Counts and sums of records in groups. Live updates reload all of them. */
export function summaryQuery(slug: string, asked: SummaryAsked) {
  return queryOptions({
    queryKey: [slug, 'summaries', asked],
    queryFn: ({ signal }) => call<Summary>('POST', `/w/${slug}/summarize`, { body: asked, signal }),
  })
}
