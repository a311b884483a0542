import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import type { FeedResource, Payload, RecordPart } from '@kith/contract/changes/change-kind'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { SchemaObject } from '@kith/contract/schema'
import type { ResourceObject } from '../records/present.ts'
import { inSnapshot, type Tenancy } from '../scope/scope.ts'
import { loadEntries, loadEntriesAt, loadFeedHead } from '../storage/tables/changes.ts'

type WantedPart = {
  after: number
  limit: number
  /** The highest sequence to read. */
  until?: number | undefined
  /** Only changes of these records. */
  record_ids?: readonly string[] | undefined
}

/** Thin entries after a sequence, without the filters of a reader, and the state of the feed. */
export type FeedPart = {
  epoch: string
  expired_until: number
  head: number
  entries: Entry[]
  /** The sequence up to which the feed was searched. */
  until: number
}

/** The next changes for a reader inside the server. Their external ids are not the current ones. */
export async function readPart(scope: Tenancy, wanted: WantedPart): Promise<FeedPart> {
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const head = await loadFeedHead(inside)
    const { epoch, expired_until } = head
    const after = Math.max(wanted.after, expired_until)
    const last = Math.min(head.sequence, wanted.until ?? head.sequence)
    if (after >= last) return { epoch, expired_until, head: head.sequence, entries: [], until: wanted.after }
    const { limit, record_ids } = wanted
    const bounded = { ...head, sequence: last }
    const found = await loadEntries(inside, { head: bounded, after, limit, record_ids, excludes_own: false })
    return { epoch, expired_until, head: head.sequence, entries: entriesIn(found.text), until: found.until }
  })
}

/** Changes by their sequences, without expired ones. */
export async function readAt(scope: Tenancy, sequences: readonly number[]): Promise<Entry[]> {
  return entriesIn(await loadEntriesAt(scope, sequences))
}

function entriesIn(text: string): Entry[] {
  // Written by the database, in the form of entries.
  return JSON.parse(`[${text}]`)
}

/** A record, a file, a comment, or the definition of a custom field, as it is sent. */
export type EntryObject =
  | ResourceObject
  | { id: string; type: 'custom_fields' | RecordPart; attributes: object }
  | SchemaObject

export type Entry = { id: string; type: 'changes'; attributes: ChangeAttributes<EntryObject> }

/** An entry of an initial sync, under the record's own id. */
export function snapshotEntry({
  resource,
  at,
  external_ids,
  record,
  payload,
}: {
  resource: FeedResource
  at: string
  external_ids: ExternalIds
  record: EntryObject
  payload: Payload
}): Entry {
  const { id } = record
  return {
    id,
    type: 'changes',
    attributes: {
      sequence: null,
      kind: 'snapshot',
      resource,
      record_id: id,
      at,
      changed: [],
      ...(payload === 'diff' ? { changes: null } : {}),
      merged_into: null,
      external_ids,
      origin: null,
      ...(payload === 'thin' ? {} : { record }),
    },
  }
}
