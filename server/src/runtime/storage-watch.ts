import type { Answer } from '../calls/answer.ts'
import { StorageTrouble, type TroubleKind } from '../scope/storage-trouble.ts'

/** How long the service is not ready after a write found the disk full. */
const FULL_MS = 10_000

/** Remembers that the disk was full recently, or that the database is damaged. */
export type StorageWatch = {
  saw(answer: Answer): Answer
  /** The same for an error outside of a call. */
  met(error: unknown): void
  /** Why the storage is not ready. */
  why(error?: unknown): string | undefined
}

export function watchStorage(now: () => number = () => performance.now()): StorageWatch {
  let full: { since: number; message: string } | undefined
  let damaged: string | undefined

  function note(kind: TroubleKind, message: string): void {
    if (kind === 'full') full = { since: now(), message }
    if (kind === 'damaged') damaged = message
  }

  return {
    saw(answer) {
      if (answer.trouble) note(answer.trouble, messageIn(answer))
      return answer
    },
    met(error) {
      if (error instanceof StorageTrouble) note(error.kind, error.message)
    },
    why(error) {
      if (error instanceof StorageTrouble) return error.message
      return damaged ?? (full && now() - full.since < FULL_MS ? full.message : undefined)
    },
  }
}

function messageIn({ body }: Answer): string {
  // The body of an error has a message.
  return (JSON.parse(body ?? '{}') as { message: string }).message
}
