import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadEntries, loadEntriesAt, loadFeedHead } from '../storage/tables/changes.ts'
import type { Entry } from './entry.ts'

export type WantedPart = {
  after: number
  limit: number
  /** Not beyond this number. */
  until?: number | undefined
  /** Only the changes of these. */
  record_ids?: readonly string[] | undefined
}

/** Thin entries after a number, whatever a reader asks for, and the state of the feed. */
export type FeedPart = {
  epoch: string
  pruned: number
  head: number
  entries: Entry[]
  /** Up to which number they were looked for. */
  until: number
}

/** The next changes for a reader that the server runs. Their external ids are not the current ones. */
export async function readPart(scope: Scope, wanted: WantedPart): Promise<FeedPart> {
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const head = await loadFeedHead(inside)
    const { epoch, pruned } = head
    const after = Math.max(wanted.after, pruned)
    const last = Math.min(head.sequence, wanted.until ?? head.sequence)
    if (after >= last) return { epoch, pruned, head: head.sequence, entries: [], until: wanted.after }
    const { limit, record_ids } = wanted
    const bounded = { ...head, sequence: last }
    const found = await loadEntries(inside, { head: bounded, after, limit, record_ids, excludes_own: false })
    return { epoch, pruned, head: head.sequence, entries: entriesIn(found.text), until: found.until }
  })
}

/** Some changes by their numbers. Those that are no longer in the feed are missing. */
export async function readAt(scope: Scope, sequences: readonly number[]): Promise<Entry[]> {
  return entriesIn(await loadEntriesAt(scope, sequences))
}

function entriesIn(text: string): Entry[] {
  // Written by the database, in the shape of entries.
  return JSON.parse(`[${text}]`)
}
