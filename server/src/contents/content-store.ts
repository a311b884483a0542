import type { Readable } from 'node:stream'

/** A content belongs to a workspace. */
export type ContentName = { workspace_id: string; sha256: string }

/** A part of a content: the first and the last byte. */
type Range = { start: number; end: number }

/** Bytes that were received and flushed, in a file of their own. */
export type Draft = { path: string; sha256: string; size: number }

/** Where the contents of files are stored: a folder, or a bucket. */
export type ContentStore = {
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

/** Named objects in a folder or a bucket. An object is there whole or not at all. */
export type Objects = {
  /** The folder for drafts. */
  drafts: string
  /** Stores a draft. Then the object is there, also after a power failure. */
  put(key: string, draft: Draft): Promise<void>
  /** The object or a part of it, and the size of the whole. */
  open(key: string, range?: Range): Promise<{ size: number; bytes: Readable } | undefined>
  /** Removes an object that may be missing. */
  remove(key: string): Promise<void>
  /** All objects, in any order. */
  list(): AsyncIterable<{ key: string; size: number }>
}

/** Contents that are stored as objects. `form` finds the workspace and the hash in a key. */
export function contentsIn(
  objects: Objects,
  { keyOf, form }: { keyOf(name: ContentName): string; form: RegExp },
): ContentStore {
  return {
    drafts: objects.drafts,
    put: (name, draft) => objects.put(keyOf(name), draft),
    async open(name, { size, range }) {
      const found = await objects.open(keyOf(name), range)
      if (found?.size === size) return found.bytes
      found?.bytes.destroy()
      return undefined
    },
    remove: (name) => objects.remove(keyOf(name)),
    async *list() {
      for await (const { key, size } of objects.list()) {
        const [, workspace_id, sha256] = form.exec(key) ?? []
        if (workspace_id && sha256) yield { workspace_id, sha256, size }
      }
    },
  }
}
