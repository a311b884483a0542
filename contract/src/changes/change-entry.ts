import type { ExternalIds } from '../external-ids.ts'
import type { Origin } from '../history-entry.ts'
import type { FeedResource, StoredKind } from './change-kind.ts'

/** The `meta` of a page of the changes feed. */
export type FeedMeta = { next_cursor: string; has_more: boolean; phase: 'snapshot' | 'live'; head: number }

/** An entry of the changes feed, as the API returns it. `Shown` is what it shows of the record. */
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
  /** What exists now; null if there is nothing, or if it no longer matches. Thin entries leave it out. */
  record?: Shown | null
}
