import { newId } from '@kith/contract/id'
import { DAY_MS, HOUR_MS } from '@kith/contract/limits'
import type { Answer } from '../calls/answer.ts'
import type { Call } from '../calls/call.ts'
import type { ContentStore } from '../contents/content-store.ts'
import { expireContents } from '../contents/contents.ts'
import { findAbandonedFields } from '../schema/settle.ts'
import type { Engine } from '../storage/engines/engine.ts'
import {
  endIdleSessions,
  expireChanges,
  expireDeleted,
  expireListed,
  expireMoves,
  expireOldRows,
  numberAllChanges,
} from './retention.ts'

/** Requests that wait for the start come first. */
const FIRST_AFTER_MS = 1000

/** Fields that a process left unsettled are settled soon by another process, and at once by one that starts. */
const SETTLE_EVERY_MS = 60_000
const SETTLE_IDLE_MS = 30_000

/** Requests that were admitted before the workspace was closed have ended by then. */
const EXPIRE_CLOSED_AFTER_MS = 5000

export type Upkeep = {
  /** Expires the rows of deleted workspaces soon. */
  expireDeletedSoon(): void
  stop(): void
}

/**
 * Expires old rows: soon after the start and every day, and every hour those that are kept for a day. Every minute it
 * continues the unfinished work of other processes.
 */
export function keepUp(
  engine: Engine,
  {
    now,
    onFailure,
    idle_hours,
    changes_days,
    store,
    execute,
  }: {
    now(): Date
    onFailure(error: unknown): void
    /** Sessions end after this many hours without use; 0 means no limit. */
    idle_hours: number
    /** How long entries of the changes feed are kept. */
    changes_days: number
    /** Where the contents of files are. */
    store: ContentStore
    execute(call: Call): Promise<Answer>
  },
): Upkeep {
  let stopped = false
  let expired = Promise.resolve()
  const run = (work: Promise<void>) => work.catch((error) => void (stopped || onFailure(error)))
  /** One after the other, because the rows of an hour are among those of a day. */
  const expire = (work: () => Promise<void>) => {
    expired = expired.then(() => run(work()))
  }
  const isStopped = () => stopped
  const daily = () => {
    expire(() => expireOldRows(engine, now(), isStopped))
    expire(() => expireContents({ engine, store, now }, isStopped))
    run(expireChanges(engine, now(), { days: changes_days, isStopped }))
  }
  const hourly = () => {
    run(numberAllChanges(engine, isStopped))
    run(expireMoves(engine, now()))
    expire(() => expireListed(engine, now(), { isStopped, every: 'hour' }))
    run(endIdleSessions(engine, now(), idle_hours))
  }
  const settleAbandoned = async (idle_ms: number) => {
    for (const facts of await findAbandonedFields(engine, new Date(now().getTime() - idle_ms))) {
      if (isStopped()) return
      const request_id = newId(now().getTime())
      const { bug } = await execute({ surface: 'fields', lane: 'write', facts, request_id })
      if (bug) onFailure(bug)
    }
  }
  const settle = (idle_ms: number) => run(settleAbandoned(idle_ms))
  const first = setTimeout(() => {
    settle(0)
    daily()
    hourly()
  }, FIRST_AFTER_MS)
  const timers = [
    first,
    setInterval(() => settle(SETTLE_IDLE_MS), SETTLE_EVERY_MS),
    setInterval(daily, DAY_MS),
    setInterval(hourly, HOUR_MS),
  ]
  for (const timer of timers) timer.unref()
  return {
    expireDeletedSoon() {
      setTimeout(() => stopped || run(expireDeleted(engine, isStopped)), EXPIRE_CLOSED_AFTER_MS).unref()
    },
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
