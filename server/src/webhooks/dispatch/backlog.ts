import type { Entry } from '../../changes/entry.ts'
import type { BlockedRow } from '../../storage/tables/webhook-blocked.ts'

/** A record whose events wait for the oldest of them. */
export type Blocked = BlockedRow & {
  /** Its next events, as far as they were read, and up to which number that was. */
  waiting: Entry[]
  covered: number
  /** Whether an attempt is being made. */
  busy: boolean
}

/** What is known of an endpoint's undelivered events. Events of one record are sent one after the other. */
export type Backlog = {
  /** Up to this number everything is delivered, given up, or behind a blocked record. */
  position(): number
  /** Up to this number the feed was read. */
  readUpTo(): number
  /** How many events are read and not begun. */
  queued(): number
  flying(): number
  blocked: ReadonlyMap<string, Blocked>
  /** Adds events that were read. */
  add(entries: readonly Entry[], until: number): void
  /** The next events of records that are free. They count as begun. */
  take(count: number): Entry[]
  /** Some of those that come after. */
  peek(count: number): Entry[]
  /** They were not begun after all. */
  putBack(entries: readonly Entry[]): void
  /** An event was delivered or given up: the next one of its record can be sent. */
  done(entry: Entry): void
  /** An event failed. It blocks its record. */
  block(entry: Entry, row: Omit<BlockedRow, 'resource' | 'record_id' | 'sequence'>): void
  unblock(key: string): void
  /** The records whose event can be tried now, the longest due first. */
  due(now: string): Blocked[]
  /** When the next of them can be tried. */
  nextDue(): string | undefined
}

export function keyOf({ resource, record_id }: { resource: string; record_id: string }): string {
  return `${resource} ${record_id}`
}

export function newBacklog(position: number, rows: readonly BlockedRow[]): Backlog {
  let readUpTo = position
  let queue: Entry[] = []
  const flying = new Map<string, number>()
  const blocked = new Map<string, Blocked>()
  for (const row of rows) blocked.set(keyOf(row), unread(row))

  return {
    blocked,
    readUpTo: () => readUpTo,
    queued: () => queue.length,
    flying: () => flying.size,
    position() {
      const first = queue[0]?.attributes.sequence ?? Number.POSITIVE_INFINITY
      return Math.min(readUpTo, Math.min(first, ...flying.values()) - 1)
    },
    add(entries, until) {
      queue.push(...entries.filter(({ attributes }) => !blocked.has(keyOf(attributes))))
      readUpTo = until
    },
    take(count) {
      const taken: Entry[] = []
      const rest: Entry[] = []
      for (const entry of queue) {
        const key = keyOf(entry.attributes)
        if (taken.length === count || flying.has(key)) rest.push(entry)
        else {
          taken.push(entry)
          flying.set(key, entry.attributes.sequence ?? 0)
        }
      }
      queue = rest
      return taken
    },
    peek: (count) => queue.slice(0, count),
    putBack(entries) {
      for (const { attributes } of entries) flying.delete(keyOf(attributes))
      queue = [...entries, ...queue].sort(bySequence)
    },
    done: ({ attributes }) => void flying.delete(keyOf(attributes)),
    block({ attributes }, row) {
      const { resource, record_id, sequence } = attributes
      const key = keyOf(attributes)
      flying.delete(key)
      // Its other events are read again when it is their turn.
      queue = queue.filter((other) => keyOf(other.attributes) !== key)
      blocked.set(key, unread({ resource, record_id, sequence: sequence ?? 0, ...row }))
    },
    unblock: (key) => void blocked.delete(key),
    due: (now) => {
      const due = [...blocked.values()].filter(({ busy, due_at }) => !busy && due_at <= now)
      return due.sort((one, other) => (one.due_at < other.due_at ? -1 : 1))
    },
    nextDue() {
      const times = [...blocked.values()].flatMap(({ busy, due_at }) => (busy ? [] : due_at))
      return times.reduce<string | undefined>(
        (least, time) => (least !== undefined && least < time ? least : time),
        undefined,
      )
    },
  }
}

function unread(row: BlockedRow): Blocked {
  return { ...row, waiting: [], covered: row.sequence - 1, busy: false }
}

function bySequence(one: Entry, other: Entry): number {
  return (one.attributes.sequence ?? 0) - (other.attributes.sequence ?? 0)
}
