import type { Entry } from '../../changes/entry.ts'
import type { FeedPart } from '../../changes/read-part.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { Ask } from './ask.ts'

/** How many entries are read at once, and how many of the latest are kept for other endpoints of the workspace. */
const READ = 500
const KEPT = 1000
const WORKSPACES_MAX = 200

type Kept = { epoch: string; pruned: number; from: number; to: number; entries: Entry[] }

export type FeedReader = { read(facts: ScopeFacts, after: number): Promise<FeedPart> }

/**
 * Reads the feed for all endpoints of this process. Endpoints of one workspace are mostly at the same position, so what
 * one reads is kept for the others.
 */
export function openFeedReader(ask: Ask): FeedReader {
  const kept = new Map<string, Kept>()
  const running = new Map<string, Promise<FeedPart>>()

  function keep(workspaceId: string, after: number, part: FeedPart): void {
    const { epoch, pruned, entries, until } = part
    const before = kept.get(workspaceId)
    const follows = before && before.epoch === epoch && before.to === after
    if (before && !follows && before.epoch === epoch && until <= before.to) return
    const all = follows ? [...before.entries, ...entries] : entries
    const cut = all.length > KEPT ? all[all.length - KEPT - 1]?.attributes.sequence : undefined
    const from = cut ?? (follows ? before.from : after)
    kept.delete(workspaceId)
    kept.set(workspaceId, { epoch, pruned, from, to: until, entries: all.slice(-KEPT) })
    const [oldest] = kept.keys()
    if (kept.size > WORKSPACES_MAX && oldest !== undefined) kept.delete(oldest)
  }

  return {
    read(facts, after) {
      const { id } = facts.workspace
      const known = kept.get(id)
      if (known && after >= known.from && after < known.to) {
        const { epoch, pruned, to: until } = known
        const entries = known.entries.filter(({ attributes }) => (attributes.sequence ?? 0) > after)
        return Promise.resolve({ epoch, pruned, head: until, entries, until })
      }
      const name = `${id} ${after}`
      const found =
        running.get(name) ??
        ask(facts, 'read', { after, limit: READ })
          .then((part) => {
            keep(id, after, part)
            return part
          })
          .finally(() => running.delete(name))
      running.set(name, found)
      return found
    },
  }
}
