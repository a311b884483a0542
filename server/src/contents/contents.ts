import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import type { Engine } from '../storage/engines/engine.ts'
import { claimContent, deleteContent, markRemoving } from '../storage/tables/files.ts'
import type { ContentName, ContentStore, Draft } from './content-store.ts'
import { refuseLargeFile, writeDraft } from './draft.ts'

/** A stored content. Nobody removes it before this claim is old. */
export type ClaimedContent = ContentName & { size: number; claim: string }

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

/** Removes a content, unless a file uses it, somebody has claimed it since, or another process removes it. */
export async function removeContent(
  { engine, store, now }: Parts,
  content: ContentName & { claim: string },
): Promise<void> {
  const at = now()
  const { workspace_id, sha256, claim } = content
  const id = newId(at.getTime())
  if (!(await markRemoving(engine, { workspace_id, sha256, claim }, { id, at }))) return
  await store.remove(content)
  await deleteContent(engine, content, id)
}
