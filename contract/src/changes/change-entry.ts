import type { ExternalIds } from '../external-ids.ts'
import type { Origin } from '../history-entry.ts'
import type { FeedResource, StoredKind } from './change-kind.ts'

/** The `meta` of a page of the changes feed. */
export type FeedMeta = { next_cursor: string; has_more: boolean; phase: 'snapshot' | 'live'; head: number }

/** An entry of the changes feed, as the API returns it. `Shown` is the type of the shown record. */
export type ChangeAttributes<Shown> = {
  /** Null in the snapshot. */
  sequence: number | null
  kind: StoredKind | 'snapshot' | 'left'
  resource: FeedResource
  record_id: string
  at: string
  changed: readonly string[]
  merged_into: string | null
  external_ids: ExternalIds
  origin: Origin | null
  /** The current object; null if it does not exist or no longer matches. Absent in thin entries. */
  record?: Shown | null
}
