import { versionsFor } from '../notifications/notify.ts'
import { type RecordVersions, recordVersions } from '../records/read.ts'
import { type Runtime, type ScopeFacts, tenancyFor } from '../scope/scope.ts'
import { readHead } from './position.ts'

/** The current versions, and the names of the changed ones. */
export type Change = { versions: RecordVersions; changed: readonly string[] }

/** Reports changes in workspaces, by any user on any node. */
export type Changes = {
  /** Calls `onChange` for changes since `known` and all later ones. Returns a function that stops it. */
  listen(facts: ScopeFacts, known: RecordVersions | undefined, onChange: (change: Change) => void): () => void
  /** Called after a write in this process, to read earlier. */
  soon(workspaceId: string): void
}

export function watchChanges(runtime: Runtime, onFailure: (error: unknown) => void): Changes {
  const poll = pollWorkspaces((facts) => recordVersions(tenancyFor(runtime, facts)), onFailure)
  return {
    listen(facts, known, onChange) {
      const listener: Listener = { known, onChange }
      const { user_id } = facts.actor
      return poll.listen(facts, (versions) => tell(listener, versionsFor(user_id, versions)))
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

/** Reports the highest sequence in the changes feed of workspaces that have readers waiting. */
export type FeedWatch = WorkspacePoll<number> & {
  /** The highest sequence now. */
  read(facts: ScopeFacts): Promise<number>
}

export function watchFeed(runtime: Runtime, onFailure: (error: unknown) => void): FeedWatch {
  const read = (facts: ScopeFacts) => readHead(tenancyFor(runtime, facts))
  return { ...pollWorkspaces(read, onFailure), read }
}

const POLL_MS = 1000

/** The shortest time between two reads, independent of the number of writes. */
const SOON_MS = 100

/** Reads a value of every workspace with listeners, once per interval, independent of their number. */
type WorkspacePoll<T> = {
  /** Calls `onRead` with the last value, if there is one, and every later one. Returns a function that stops it. */
  listen(facts: ScopeFacts, onRead: (value: T) => void): () => void
  /** Called after a write in this process, to read earlier. */
  soon(workspaceId: string): void
}

type Poll<T> = {
  facts: ScopeFacts
  last: { value: T } | undefined
  listeners: Set<(value: T) => void>
  timer: NodeJS.Timeout | undefined
  state: 'waiting' | 'soon' | 'reading' | 'reading, then soon'
}

export function pollWorkspaces<T>(
  read: (facts: ScopeFacts) => Promise<T>,
  onFailure: (error: unknown) => void,
): WorkspacePoll<T> {
  const polls = new Map<string, Poll<T>>()

  async function run(poll: Poll<T>): Promise<void> {
    poll.state = 'reading'
    try {
      const value = await read(poll.facts)
      poll.last = { value }
      for (const listener of [...poll.listeners]) listener(value)
    } catch (error) {
      onFailure(error)
    }
    if (polls.get(poll.facts.workspace.id) === poll) schedule(poll)
  }

  function schedule(poll: Poll<T>): void {
    const again = poll.state === 'reading, then soon'
    poll.state = again ? 'soon' : 'waiting'
    poll.timer = setTimeout(() => void run(poll), again ? SOON_MS : POLL_MS).unref()
  }

  function pollOf(facts: ScopeFacts): Poll<T> {
    const { id } = facts.workspace
    const known = polls.get(id)
    if (known) return known
    const fresh: Poll<T> = { facts, last: undefined, listeners: new Set(), timer: undefined, state: 'waiting' }
    polls.set(id, fresh)
    void run(fresh)
    return fresh
  }

  return {
    listen(facts, onRead) {
      const poll = pollOf(facts)
      poll.listeners.add(onRead)
      if (poll.last) onRead(poll.last.value)
      return () => {
        poll.listeners.delete(onRead)
        if (poll.listeners.size > 0 || polls.get(facts.workspace.id) !== poll) return
        clearTimeout(poll.timer)
        polls.delete(facts.workspace.id)
      }
    },
    soon(workspaceId) {
      const poll = polls.get(workspaceId)
      if (poll?.state === 'reading') poll.state = 'reading, then soon'
      if (poll?.state !== 'waiting') return
      clearTimeout(poll.timer)
      poll.state = 'soon'
      poll.timer = setTimeout(() => void run(poll), SOON_MS).unref()
    },
  }
}
