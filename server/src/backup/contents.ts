import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { ContentName, ContentStore, Draft } from '../contents/content-store.ts'
import { writeDraft } from '../contents/draft.ts'
import type { Db } from '../storage/engines/engine.ts'
import { loadUsedContents, type UsedContent } from '../storage/tables/files.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'
import type { BackupLine } from './encryption.ts'

/**
 * The contents of files in a backup, after all tables: parts in base64, in their order. A content that was missing, or
 * turned out to be damaged while it was read, ends with a part that is null.
 */
export const CONTENTS = { table: 'contents', columns: ['workspace_id', 'sha256', 'content'] } as const

/** How many contents a backup has, and how many it should have and has not. */
export type ContentCounts = { contents: number; missing: number }

/** The contents that a backup copies. */
export async function* usedContents(db: Db): AsyncGenerator<UsedContent> {
  for (const workspaceId of await loadWorkspaceIds(db)) {
    for (let after = ''; ; ) {
      const some = await loadUsedContents(db, workspaceId, after)
      yield* some
      const last = some.at(-1)
      if (!last) break
      after = last.sha256
    }
  }
}

type ContentRow = readonly [workspace_id: string, sha256: string, content: string | null]

/** A multiple of three, so that base64 needs no padding between the parts. */
const PART_BYTES = 384 * 1024

/** The rows of all contents. */
export async function* contentRows(db: Db, store: ContentStore, counts: ContentCounts): AsyncGenerator<ContentRow> {
  for await (const { workspace_id, sha256, size } of usedContents(db)) {
    const hash = createHash('sha256')
    const stream = await store.open({ workspace_id, sha256 }, { size })
    for await (const part of partsOf(stream ?? [])) {
      hash.update(part)
      yield [workspace_id, sha256, part.toString('base64')]
    }
    const isWhole = hash.digest('hex') === sha256
    if (!isWhole) yield [workspace_id, sha256, null]
    counts[isWhole ? 'contents' : 'missing']++
  }
}

async function* partsOf(stream: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer = Buffer.alloc(0)
  for await (const some of stream) {
    waiting = Buffer.concat([waiting, some])
    for (; waiting.length >= PART_BYTES; waiting = waiting.subarray(PART_BYTES)) yield waiting.subarray(0, PART_BYTES)
  }
  if (waiting.length > 0) yield waiting
}

/** Reads the contents of a backup to its end. `use` reads the bytes of each, and returns whether they have its hash. */
export async function readContents(
  lines: AsyncGenerator<BackupLine>,
  use: (name: ContentName, bytes: AsyncIterable<Buffer>) => Promise<boolean>,
  refuseDamaged: () => never,
): Promise<ContentCounts> {
  const counts: ContentCounts = { contents: 0, missing: 0 }
  let row = await nextRow(lines)
  while (row) {
    const [workspace_id, sha256] = row
    let isMissing = row[2] === null
    async function* bytes(): AsyncGenerator<Buffer> {
      for (; row?.[0] === workspace_id && row[1] === sha256; row = await nextRow(lines)) {
        if (row[2] === null) isMissing = true
        else yield Buffer.from(row[2], 'base64')
      }
    }
    const isWhole = await use({ workspace_id, sha256 }, bytes())
    if (!isWhole && !isMissing) refuseDamaged()
    counts[isWhole ? 'contents' : 'missing']++
  }
  return counts
}

async function nextRow(lines: AsyncGenerator<BackupLine>): Promise<ContentRow | undefined> {
  const { value } = await lines.next()
  // Written by contentRows. After the end, which the checksum covers, there is nothing.
  if (value && 'row' in value) return value.row as unknown as ContentRow
  if (value) await lines.next()
  return undefined
}

/** Whether bytes have a hash. */
export async function hasHash({ sha256 }: ContentName, bytes: AsyncIterable<Buffer>): Promise<boolean> {
  const hash = createHash('sha256')
  for await (const some of bytes) hash.update(some)
  return hash.digest('hex') === sha256
}

/** Stores the content of a backup, unless its bytes do not have its hash. */
export async function storeContent(
  store: ContentStore,
  { name, bytes, now }: { name: ContentName; bytes: AsyncIterable<Buffer>; now: Date },
): Promise<boolean> {
  const draft: Draft = await writeDraft(store, bytes, { max_mb: Number.POSITIVE_INFINITY, now, empty: true })
  if (draft.sha256 === name.sha256) await store.put(name, draft)
  else await rm(draft.path, { force: true })
  return draft.sha256 === name.sha256
}
