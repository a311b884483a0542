import { setTimeout as pause } from 'node:timers/promises'
import { firstIdAt, newId } from '@kith/contract/id'
import { HOUR_MS, UNUSED_CONTENT_HOURS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { Engine } from '../storage/engines/engine.ts'
import { claimContent, deleteContent, findUnused, markRemoving } from '../storage/tables/files.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'
import type { ContentName, ContentStore, Draft } from './content-store.ts'
import { refuseLargeFile, removeDrafts, writeDraft } from './draft.ts'

/** A stored content. Nobody removes it before this claim is old. */
type ClaimedContent = ContentName & { size: number; claim: string }

/** The contents of the files of one installation. */
export type Contents = Pick<ContentStore, 'open'> & {
  /** Refuses a file that says that it is too large. */
  refuseLarge(length: number): void
  /** Writes bytes to a draft while they are received. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<Draft>
  /** Stores a draft, so that a row can refer to it. */
  store(workspaceId: string, draft: Draft): Promise<ClaimedContent>
  /** Removes a content if no file uses it and nobody has claimed it since. */
  release(content: ClaimedContent): Promise<void>
}

type Parts = { engine: Engine; store: ContentStore; now(): Date }

export function openContents({ max_mb, ...parts }: Parts & { max_mb: number }): Contents {
  const { engine, store, now } = parts
  return {
    open: store.open,
    refuseLarge: (length) => refuseLargeFile(length, max_mb),
    receive: (bytes) => writeDraft(store, bytes, { max_mb, now: now() }),
    async store(workspace_id, draft) {
      const { sha256, size } = draft
      const content = { workspace_id, sha256, size, claim: newId(now().getTime()) }
      await claim(engine, content)
      await store.put(content, draft)
      return content
    },
    release: (content) => removeContent(parts, content),
  }
}

const TRIES = 20
const RETRY_MS = 100

/** Waits for a moment if an earlier content with this hash is being removed. */
async function claim(engine: Engine, content: ClaimedContent): Promise<void> {
  for (let tries = 1; !(await claimContent(engine, content)); tries++) {
    if (tries === TRIES) {
      const message = 'An earlier file with the same content is being removed at the moment. Retry shortly.'
      refuse({ kind: 'busy', message, retry_after: 5 })
    }
    await pause(RETRY_MS)
  }
}

/** Removes the contents that no file uses, and the drafts of uploads that were interrupted: after a day. */
export async function expireContents(parts: Parts, isStopped: () => boolean): Promise<void> {
  const { engine, store, now } = parts
  const before = now().getTime() - UNUSED_CONTENT_HOURS * HOUR_MS
  await removeDrafts(store, new Date(before))
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    for (let after = ''; !isStopped(); ) {
      const found = await findUnused(engine.db, workspaceId, { claimed_before: firstIdAt(before), after })
      for (const content of found) if (!isStopped()) await removeContent(parts, content)
      const last = found.at(-1)
      if (!last) break
      after = last.sha256
    }
  }
}

/** Removes a content, unless a file uses it, somebody has claimed it since, or another process removes it. */
async function removeContent({ engine, store, now }: Parts, content: ContentName & { claim: string }): Promise<void> {
  const at = now()
  const { workspace_id, sha256, claim } = content
  const id = newId(at.getTime())
  if (!(await markRemoving(engine, { workspace_id, sha256, claim }, { id, at }))) return
  await store.remove(content)
  await deleteContent(engine, content, id)
}
