import type { HistoryEntry } from '@kith/contract/history-entry'
import type { Duplicate, SearchResult as Found, Merge, Trashed } from '@kith/contract/merge'

type TypedObject<T extends string, A> = { id: string; type: T; attributes: A }

/** Records that became one. */
export type MergeObject = TypedObject<'merges', Merge>

/** A record that was found. Its id is that of the record. */
export type SearchResult = TypedObject<'search_results', Found>

/** A deleted record that can be restored. Its id is that of the record. */
export type TrashObject = TypedObject<'trash', Trashed>

/** A value that several records share. */
export type DuplicateObject = TypedObject<'duplicates', Duplicate>

/** One change of a record. */
export type HistoryObject = TypedObject<'history', HistoryEntry>

export type HistoryPage = {
  data: HistoryObject[]
  links: { first: null; last: null; prev: null; next: string | null }
  meta: { path: string; per_page: number; next_cursor: string | null; prev_cursor: null }
}
