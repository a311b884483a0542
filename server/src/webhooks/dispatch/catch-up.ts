import type { ScopeFacts } from '../../scope/scope.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import type { Ask } from './ask.ts'
import { type Backlog, type Blocked, keyOf } from './backlog.ts'
import { wantedBy } from './wanted.ts'

/** How many blocked records are looked for in one statement, and how many of their events are read. */
const RECORDS = 100
const EVENTS = 200

type CatchUp = { ask: Ask; facts: ScopeFacts; webhook: WebhookRow }

/**
 * Reads the next events of blocked records whose turn it is, from their oldest undelivered one to where the feed was
 * read. A record without one is free again. Returns the records that have one.
 */
export async function catchUp(
  { ask, facts, webhook }: CatchUp,
  backlog: Backlog,
  due: readonly Blocked[],
): Promise<{ ready: Blocked[]; freed: Blocked[] }> {
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

/** The event of a blocked record is delivered or given up: the next one can be sent at once. */
export function advance(blocked: Blocked, now: string): void {
  blocked.waiting.shift()
  blocked.sequence = blocked.waiting[0]?.attributes.sequence ?? blocked.covered + 1
  Object.assign(blocked, { attempt: 0, due_at: now, delivery_id: null, busy: false })
}

/** It failed again. Its events are read again when it is due, so that memory does not grow. */
export function postpone(blocked: Blocked, row: Pick<Blocked, 'attempt' | 'due_at' | 'delivery_id'>): void {
  Object.assign(blocked, { ...row, busy: false, waiting: [], covered: blocked.sequence - 1 })
}
