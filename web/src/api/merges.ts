import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, documentQuery, type PageOf, searchOf } from './call.ts'
import type { RecordInput } from './patch-record.ts'
import { type RecordDocument, recordsKey } from './records.ts'

/** Records that share the value of a unique field, or have a similar name or address. */
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
    ...documentQuery<PageOf<Duplicate>>(
      [...recordsKey(slug, resource), 'duplicates', page],
      `/w/${slug}/duplicates${searchOf({ resource, page, per_page: 50, certainty: 'all' })}`,
    ),
    placeholderData: keepPreviousData,
  })
}

/** The merges of the last 30 days. */
export function mergesQuery(slug: string, resource: ResourceName) {
  return documentQuery<PageOf<Merge>>(
    [...recordsKey(slug, resource), 'merges'],
    `/w/${slug}/merges${searchOf({ resource, per_page: 50 })}`,
  )
}

/** Merges other records into a winner. */
export function mergeRecords(
  slug: string,
  winner: { type: ResourceName; id: string },
  input: {
    loser_ids: readonly string[]
    /** Chosen values that differ from the defaults of a merge, as in an update. */
    attributes: RecordInput
  },
): Promise<RecordDocument & { meta: { merge_id: string } }> {
  return call('PUT', `/w/${slug}/v1/${winner.type}/${winner.id}/merge`, { body: input })
}

export function undoMerge(slug: string, id: string): Promise<unknown> {
  return call('PUT', `/w/${slug}/v1/merges/${id}/undo`)
}
