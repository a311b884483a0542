import type { CommentObject } from '../comment.ts'
import type { FileObject } from '../file.ts'
import type { AuditEntryRow } from './audit.ts'

/** Who made a file or comment. Null for a former user. */
type Creator = { id: string; name: string } | null

export type EntryUndo = {
  /** The change to undo: that of the entry, or the merge that caused it. Null if it cannot be undone any more. */
  change: string | null
  /** The change that the entry has undone. */
  of: string | null
  /** The change that has undone it. */
  by: string | null
}

type Entry = { entry: AuditEntryRow; undo: EntryUndo }

/** A comment and who wrote it. */
export type Said = { comment: CommentObject; creator: Creator }

/**
 * A comment with the replies to it, the oldest first. If it is deleted, its first reply takes its place. Of many
 * replies, only the latest are there.
 */
export type Thread = Said & { replies: Said[]; has_earlier: boolean }

/** What an item has, by its kind. `Linked` is a record as the REST API shows it. */
type Contents<Linked> = {
  notes: { record: Linked }
  tasks: { record: Linked }
  comments: Thread
  files: { file: FileObject; creator: Creator }
  changes: Entry
  merges: Entry
  imports: Entry
}

export type ActivityKind = keyof Contents<unknown>

/** The kinds of items in the order of the application: what was added to a record, and then its history. */
export const activityKinds = [
  'notes',
  'tasks',
  'comments',
  'files',
  'changes',
  'merges',
  'imports',
] as const satisfies readonly ActivityKind[]

/** An item of `GET /activity`. What was created stands where it was created, in its current state. */
export type Activity<Linked, Kind extends ActivityKind = ActivityKind> = {
  [One in Kind]: { id: string; at: string; kind: One } & Contents<Linked>[One]
}[Kind]
