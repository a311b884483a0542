import { readHead } from '../changes/head.ts'
import { type Runtime, type ScopeFacts, scopeFor } from '../scope/scope.ts'
import { pollWorkspaces } from './poll-workspaces.ts'

/** Reports the highest sequence in the changes feed of workspaces that have readers waiting. */
export type FeedWatch = {
  listen(facts: ScopeFacts, onHead: (sequence: number) => void): () => void
  /** The highest sequence now. */
  read(facts: ScopeFacts): Promise<number>
  /** Something was written in this process. */
  soon(workspaceId: string): void
}

export function watchFeed(runtime: Runtime, onFailure: (error: unknown) => void): FeedWatch {
  const read = (facts: ScopeFacts) => readHead(scopeFor(runtime, facts))
  return { ...pollWorkspaces(read, onFailure), read }
}
