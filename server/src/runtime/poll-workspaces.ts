import type { ScopeFacts } from '../scope/scope.ts'

const POLL_MS = 1000

/** The shortest time between two reads, however much is written. */
const SOON_MS = 100

/** Reads something of every workspace with listeners, once per interval, independent of their number. */
type WorkspacePoll<T> = {
  /** Passes on what was read last, if there is such a value, and every later one. Returns a function that stops it. */
  listen(facts: ScopeFacts, onRead: (value: T) => void): () => void
  /** Something was written in this process: reads earlier. */
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
