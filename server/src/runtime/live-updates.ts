import { type RecordVersions, recordVersions } from '../records/versions.ts'
import { type Runtime, type ScopeFacts, scopeFor } from '../scope/scope.ts'

const POLL_MS = 1500

/** The current versions, and the names of those that have changed. */
export type Change = { versions: RecordVersions; changed: readonly string[] }

/** Reports changes in workspaces, by any user on any node. */
export type Changes = {
  /** Calls `onChange` for changes since `known` and all later ones. Returns a function that stops it. */
  listen(facts: ScopeFacts, known: RecordVersions | undefined, onChange: (change: Change) => void): () => void
  close(): void
}

type Poll = { facts: ScopeFacts; last: RecordVersions | undefined; listeners: Set<Listener>; timer: NodeJS.Timeout }
type Listener = { known: RecordVersions | undefined; onChange(change: Change): void }

/** Polls each workspace with listeners once per interval, independent of their number. */
export function watchChanges(runtime: Runtime, onFailure: (error: unknown) => void): Changes {
  const polls = new Map<string, Poll>()

  async function run(id: string, poll: Poll): Promise<void> {
    try {
      poll.last = await recordVersions(scopeFor(runtime, poll.facts))
      for (const listener of poll.listeners) tell(listener, poll.last)
    } catch (error) {
      onFailure(error)
    }
    if (polls.get(id) === poll) poll.timer = setTimeout(() => run(id, poll), POLL_MS).unref()
  }

  function pollOf(facts: ScopeFacts): Poll {
    const { id } = facts.workspace
    const known = polls.get(id)
    if (known) return known
    const fresh: Poll = { facts, last: undefined, listeners: new Set(), timer: setTimeout(() => {}, 0) }
    polls.set(id, fresh)
    void run(id, fresh)
    return fresh
  }

  return {
    listen(facts, known, onChange) {
      const poll = pollOf(facts)
      const listener: Listener = { known, onChange }
      poll.listeners.add(listener)
      if (poll.last) tell(listener, poll.last)
      return () => {
        poll.listeners.delete(listener)
        if (poll.listeners.size > 0) return
        clearTimeout(poll.timer)
        polls.delete(facts.workspace.id)
      }
    },
    close() {
      for (const { timer } of polls.values()) clearTimeout(timer)
      polls.clear()
    },
  }
}

/** A listener without known versions first gets the current ones, without changes. */
function tell(listener: Listener, versions: RecordVersions): void {
  const { known } = listener
  const names = Object.keys(versions) as (keyof RecordVersions)[]
  const changed = known ? names.filter((name) => versions[name] !== known[name]) : []
  if (known && changed.length === 0) return
  listener.known = versions
  listener.onChange({ versions, changed })
}
