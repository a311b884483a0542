import { type RecordVersions, recordVersions } from '../records/versions.ts'
import { type Runtime, type ScopeFacts, scopeFor } from '../scope/scope.ts'

const POLL_MS = 1500

/** The versions at one moment, and the names of those that differ from the moment before. */
export type Change = { versions: RecordVersions; changed: readonly string[] }

/** Tells of changes in workspaces, whoever made them and on whichever node. */
export type Changes = {
  /** Calls back with what changes from now on, and at once with what has changed since `known`. Returns how to stop. */
  listen(facts: ScopeFacts, known: RecordVersions | undefined, onChange: (change: Change) => void): () => void
  close(): void
}

type Watch = { facts: ScopeFacts; last: RecordVersions | undefined; listeners: Set<Listener>; timer: NodeJS.Timeout }
type Listener = { known: RecordVersions | undefined; onChange(change: Change): void }

/** One question in a while for each workspace that anybody listens to, however many they are, and none otherwise. */
export function watchChanges(runtime: Runtime, onFailure: (error: unknown) => void): Changes {
  const watches = new Map<string, Watch>()

  async function look(id: string, watch: Watch): Promise<void> {
    try {
      watch.last = await recordVersions(scopeFor(runtime, watch.facts))
      for (const listener of watch.listeners) tell(listener, watch.last)
    } catch (error) {
      onFailure(error)
    }
    if (watches.get(id) === watch) watch.timer = setTimeout(() => look(id, watch), POLL_MS).unref()
  }

  function watched(facts: ScopeFacts): Watch {
    const { id } = facts.workspace
    const known = watches.get(id)
    if (known) return known
    const fresh: Watch = { facts, last: undefined, listeners: new Set(), timer: setTimeout(() => {}, 0) }
    watches.set(id, fresh)
    void look(id, fresh)
    return fresh
  }

  return {
    listen(facts, known, onChange) {
      const watch = watched(facts)
      const listener: Listener = { known, onChange }
      watch.listeners.add(listener)
      if (watch.last) tell(listener, watch.last)
      return () => {
        watch.listeners.delete(listener)
        if (watch.listeners.size > 0) return
        clearTimeout(watch.timer)
        watches.delete(facts.workspace.id)
      }
    },
    close() {
      for (const { timer } of watches.values()) clearTimeout(timer)
      watches.clear()
    },
  }
}

/** The first look of whoever knows nothing yet tells of nothing, but where they stand. */
function tell(listener: Listener, versions: RecordVersions): void {
  const { known } = listener
  const names = Object.keys(versions) as (keyof RecordVersions)[]
  const changed = known ? names.filter((name) => versions[name] !== known[name]) : []
  if (known && changed.length === 0) return
  listener.known = versions
  listener.onChange({ versions, changed })
}
