import type { Readable } from 'node:stream'

/** A content belongs to a workspace. */
export type ContentName = { workspace_id: string; sha256: string }

/** A part of a content: the first and the last byte. */
type Range = { start: number; end: number }

/** Bytes that were received and flushed, in a file of their own. */
export type Draft = { path: string; sha256: string; size: number }

/** Where the contents of files are stored: a folder, or a bucket. */
export type ContentStore = {
  /** The folder for drafts. */
  drafts: string
  /** Stores a draft under its hash. Then the content is there, also after a power failure. */
  put(name: ContentName, draft: Draft): Promise<void>
  /** Undefined if the content is missing, or does not have this size. */
  open(name: ContentName, part: { size: number; range?: Range | undefined }): Promise<Readable | undefined>
  /** Removes a content that may be missing. */
  remove(name: ContentName): Promise<void>
  /** Everything that is stored. */
  list(): AsyncIterable<ContentName & { size: number }>
}
