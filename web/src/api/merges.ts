import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { type PageOf, searchOf } from './page.ts'
import type { RecordInput } from './patch-record.ts'
import { type RecordDocument, recordsKey } from './records.ts'

/** What several records have in common: the value of a unique field, or a similar name or address. */
export type Duplicate = {
  certainty: 'certain' | 'likely'
  field: { code: string; name: string }
  value: string | number
  records: { id: string; name: string; created_at: string }[]
  count: number
}

export type Merge = {
  id: string
  resource: ResourceName
  winner: { id: string; name: string | null }
  losers: { id: string; name: string | null }[]
  merged_at: string
  merged_by: { id: string; name: string } | null
  undone_at: string | null
  undoable_until: string
}

export function duplicatesQuery(slug: string, resource: ResourceName, page: number) {
  return queryOptions({
    queryKey: [...recordsKey(slug, resource), 'duplicates', page],
    queryFn: ({ signal }) =>
      call<PageOf<Duplicate>>(
        'GET',
        `/w/${slug}/duplicates${searchOf({ resource, page, per_page: 50, certainty: 'all' })}`,
        {
          signal,
        },
      ),
    placeholderData: keepPreviousData,
  })
}

/** The merges of the last 30 days. */
export function mergesQuery(slug: string, resource: ResourceName) {
  return queryOptions({
    queryKey: [...recordsKey(slug, resource), 'merges'],
    queryFn: ({ signal }) =>
      call<PageOf<Merge>>('GET', `/w/${slug}/merges${searchOf({ resource, per_page: 50 })}`, { signal }),
  })
}

type MergeInput = {
  loser_ids: readonly string[]
  /** What was chosen instead of what would be taken, as in an update. */
  attributes: RecordInput
}

/** Merges other records into a winner. */
export function mergeRecords(
  slug: string,
  winner: { type: ResourceName; id: string },
  input: MergeInput,
): Promise<RecordDocument & { meta: { merge_id: string } }> {
  return call('PUT', `/w/${slug}/v1/${winner.type}/${winner.id}/merge`, { body: input })
}

export function undoMerge(slug: string, id: string): Promise<unknown> {
  return call('PUT', `/w/${slug}/v1/merges/${id}/undo`)
}
