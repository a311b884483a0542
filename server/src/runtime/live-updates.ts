import { type RecordVersions, recordVersions } from '../records/versions.ts'
import { type Runtime, type ScopeFacts, scopeFor } from '../scope/scope.ts'
import { pollWorkspaces } from './poll-workspaces.ts'

/** The current versions, and the names of those that have changed. */
export type Change = { versions: RecordVersions; changed: readonly string[] }

/** Reports changes in workspaces, by any user on any node. */
export type Changes = {
  /** Calls `onChange` for changes since `known` and all later ones. Returns a function that stops it. */
  listen(facts: ScopeFacts, known: RecordVersions | undefined, onChange: (change: Change) => void): () => void
  /** Something was written in this process. */
  soon(workspaceId: string): void
}

export function watchChanges(runtime: Runtime, onFailure: (error: unknown) => void): Changes {
  const poll = pollWorkspaces((facts) => recordVersions(scopeFor(runtime, facts)), onFailure)
  return {
    listen(facts, known, onChange) {
      const listener: Listener = { known, onChange }
      return poll.listen(facts, (versions) => tell(listener, versions))
    },
    soon: poll.soon,
  }
}

type Listener = { known: RecordVersions | undefined; onChange(change: Change): void }

/** A listener without known versions first gets the current ones, without changes. */
function tell(listener: Listener, versions: RecordVersions): void {
  const { known } = listener
  const names = Object.keys(versions) as (keyof RecordVersions)[]
  const changed = known ? names.filter((name) => versions[name] !== known[name]) : []
  if (known && changed.length === 0) return
  listener.known = versions
  listener.onChange({ versions, changed })
}
