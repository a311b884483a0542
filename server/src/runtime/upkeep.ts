import { DAY_MS, HOUR_MS } from '@kith/contract/limits'
import type { Engine } from '../storage/engines/engine.ts'
import { forgetDeliveries } from '../webhooks/forget-deliveries.ts'
import {
  endIdleSessions,
  forgetChanges,
  forgetClients,
  forgetJobs,
  forgetKeys,
  forgetMoves,
  numberAllChanges,
  putAway,
  wipeClosed,
} from './put-away.ts'

/** Requests that wait for the start come first. */
const FIRST_AFTER_MS = 1000

/** What was let into a workspace before it was closed is done by then. */
const WIPE_AFTER_MS = 5000

export type Upkeep = {
  /** Wipes workspaces that were deleted, soon. */
  wipeSoon(): void
  stop(): void
}

type Keeping = {
  now(): Date
  onFailure(error: unknown): void
  /** Sessions that were not used for so long end; 0 for no such limit. */
  idle_hours: number
  /** How long entries of the changes feed are kept. */
  changes_days: number
}

/**
 * Puts away, soon after the start and every day, what is kept for a time only, and every hour what is kept for a day.
 */
export function keepUp(engine: Engine, { now, onFailure, idle_hours, changes_days }: Keeping): Upkeep {
  let stopped = false
  const run = (work: Promise<void>) => {
    work.catch((error) => stopped || onFailure(error))
  }
  const isStopped = () => stopped
  const daily = () => {
    run(putAway(engine, now(), isStopped))
    run(forgetChanges(engine, now(), { days: changes_days, isStopped }))
  }
  const hourly = () => {
    run(numberAllChanges(engine, isStopped))
    run(forgetMoves(engine, now()))
    run(forgetKeys(engine, now(), isStopped))
    run(forgetClients(engine, now()))
    run(forgetJobs(engine, now(), isStopped))
    run(forgetDeliveries(engine, now(), isStopped))
    run(endIdleSessions(engine, now(), idle_hours))
  }
  const first = setTimeout(() => {
    daily()
    hourly()
  }, FIRST_AFTER_MS)
  const timers = [first, setInterval(daily, DAY_MS), setInterval(hourly, HOUR_MS)]
  for (const timer of timers) timer.unref()
  return {
    wipeSoon() {
      setTimeout(() => stopped || run(wipeClosed(engine, isStopped)), WIPE_AFTER_MS).unref()
    },
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
