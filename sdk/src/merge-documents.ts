import type { Certainty } from '@kith/contract/certainty'
import type { HistoryEntry } from '@kith/contract/history-entry'
import type { ResourceName } from '@kith/contract/resource'

type TypedObject<T extends string, A> = { id: string; type: T; attributes: A }

/** Records that became one. */
export type MergeObject = TypedObject<
  'merges',
  {
    resource: ResourceName
    winner_id: string
    loser_ids: string[]
    merged_at: string
    merged_by: string | null
    undone_at: string | null
    undoable_until: string
  }
>

/** A record that was found. Its id is that of the record. */
export type SearchResult = TypedObject<
  'search_results',
  { resource: ResourceName; name: string; detail: string | null; created_at: string }
>

/** A deleted record that can be restored. Its id is that of the record. */
export type TrashObject = TypedObject<
  'trash',
  {
    resource: ResourceName
    name: string
    deleted_at: string
    deleted_by: string | null
    restorable_until: string
    merged_into: string | null
  }
>

/** A value that several records share. */
export type DuplicateObject = TypedObject<
  'duplicates',
  {
    certainty: Exclude<Certainty, 'all'>
    field: string
    value: string | number
    count: number
    record_ids: string[]
  }
>

/** One change of a record. */
export type HistoryObject = TypedObject<'history', HistoryEntry>

export type HistoryPage = {
  data: HistoryObject[]
  links: { first: null; last: null; prev: null; next: string | null }
  meta: { path: string; per_page: number; next_cursor: string | null; prev_cursor: null }
}
