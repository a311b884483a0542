import type { CommentObject } from '../comment.ts'
import type { FileObject } from '../file.ts'
import type { AuditEntryRow } from './audit.ts'

/** The entries in the timeline of a record: linked notes and tasks, its comments and files, and its history. */
export const activityKinds = ['notes', 'tasks', 'comments', 'files', 'changes', 'merges', 'imports'] as const
export type ActivityKind = (typeof activityKinds)[number]

/** How an entry is undone. */
export type EntryUndo = {
  /** The change to undo: that of the entry, or the merge that caused it. Null if it cannot be undone any more. */
  change: string | null
  /** The change that the entry has undone. */
  of: string | null
  /** The change that has undone it. */
  by: string | null
}

/**
 * An item of `GET /activity`. `Linked` is a record as the REST API shows it. What was created stands where it was
 * created, in its current state.
 */
export type Activity<Linked> =
  | { id: string; at: string; kind: 'notes' | 'tasks'; record: Linked }
  | { id: string; at: string; kind: 'files'; file: FileObject; creator: { id: string; name: string } | null }
  | { id: string; at: string; kind: 'comments'; comment: CommentObject; creator: { id: string; name: string } | null }
  | { id: string; at: string; kind: 'changes' | 'merges' | 'imports'; entry: AuditEntryRow; undo: EntryUndo }
