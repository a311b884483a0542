import type { Entry } from '../../changes/read-part.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { BlockedRow, WebhookRow } from '../../storage/tables/webhooks.ts'
import { wantedBy } from '../webhook.ts'
import type { Ask } from './steps.ts'

/** A blocked record, whose events wait for the oldest of them. */
export type BlockedRecord = BlockedRow & {
  /** Its next events that were read, and the sequence up to which they were read. */
  waiting: Entry[]
  covered: number
  /** Whether an attempt is in progress. */
  busy: boolean
}

/** The undelivered events of an endpoint. Events of one record are sent one after the other. */
export type Backlog = {
  /** Up to this sequence every event is delivered, given up, or behind a blocked record. */
  position(): number
  /** The sequence up to which the feed was read. */
  readUpTo(): number
  /** How many events are read but not started. */
  queued(): number
  flying(): number
  blocked: ReadonlyMap<string, BlockedRecord>
  /** Adds events that were read. */
  add(entries: readonly Entry[], until: number): void
  /** The next events of records that are not blocked. They count as started. */
  take(count: number): Entry[]
  /** Some of the events after those. */
  peek(count: number): Entry[]
  /** Marks events as not started again. */
  putBack(entries: readonly Entry[]): void
  /** An event was delivered or given up: the next event of its record can be sent. */
  done(entry: Entry): void
  /** An event failed and blocks its record. */
  block(entry: Entry, row: Omit<BlockedRow, 'resource' | 'record_id' | 'sequence'>): void
  unblock(key: string): void
  /** The records whose event can be retried now, longest due first. */
  due(now: string): BlockedRecord[]
  /** When the next event can be retried. */
  nextDue(): string | undefined
}

export function keyOf({ resource, record_id }: { resource: string; record_id: string }): string {
  return `${resource} ${record_id}`
}

export function newBacklog(position: number, rows: readonly BlockedRow[]): Backlog {
  let readUpTo = position
  let queue: Entry[] = []
  const flying = new Map<string, number>()
  const blocked = new Map<string, BlockedRecord>()
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
      // The other events of the record are read again when it is due.
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

function unread(row: BlockedRow): BlockedRecord {
  return { ...row, waiting: [], covered: row.sequence - 1, busy: false }
}

function bySequence(one: Entry, other: Entry): number {
  return (one.attributes.sequence ?? 0) - (other.attributes.sequence ?? 0)
}

/** How many blocked records one statement searches for, and how many of their events are read. */
const RECORDS = 100
const EVENTS = 200

/**
 * Reads the next events of blocked records that are due, from the oldest undelivered event up to the position of the
 * feed. A record without events is no longer blocked. Returns the records that have one.
 */
export async function catchUp(
  { ask, facts, webhook }: { ask: Ask; facts: ScopeFacts; webhook: WebhookRow },
  backlog: Backlog,
  due: readonly BlockedRecord[],
): Promise<{ ready: BlockedRecord[]; freed: BlockedRecord[] }> {
  const unread = due.filter(({ waiting, covered }) => waiting.length === 0 && covered < backlog.readUpTo())
  const some = unread.slice(0, RECORDS)
  if (some.length > 0) {
    const after = Math.min(...some.map(({ covered }) => covered))
    const record_ids = some.map(({ record_id }) => record_id)
    const part = await ask(facts, 'read', { after, until: backlog.readUpTo(), limit: EVENTS, record_ids })
    const found = Map.groupBy(wantedBy(webhook, part.entries), ({ attributes }) => keyOf(attributes))
    for (const one of some) {
      const own = found.get(keyOf(one)) ?? []
      one.waiting.push(...own.filter(({ attributes }) => (attributes.sequence ?? 0) > one.covered))
      one.covered = Math.max(one.covered, part.until)
      one.sequence = one.waiting[0]?.attributes.sequence ?? one.covered + 1
    }
  }
  const freed = due.filter(({ waiting, covered }) => waiting.length === 0 && covered >= backlog.readUpTo())
  for (const one of freed) backlog.unblock(keyOf(one))
  return { ready: due.filter(({ waiting }) => waiting.length > 0), freed }
}

/** The event of a blocked record was delivered or given up: the next one can be sent at once. */
export function advance(blocked: BlockedRecord, now: string): void {
  blocked.waiting.shift()
  blocked.sequence = blocked.waiting[0]?.attributes.sequence ?? blocked.covered + 1
  Object.assign(blocked, { attempt: 0, due_at: now, delivery_id: null, busy: false })
}

/** The event failed again. Its later events are read again when it is due, so that memory does not grow. */
export function postpone(blocked: BlockedRecord, row: Pick<BlockedRecord, 'attempt' | 'due_at' | 'delivery_id'>): void {
  Object.assign(blocked, { ...row, busy: false, waiting: [], covered: blocked.sequence - 1 })
}
