import { WALK_HOURS } from '@kith/contract/limits'
import type { Engine } from './db/engine.ts'
import { pruneMoves } from './db/key-moves.ts'

const HOUR_MS = 3_600_000

/** Forgets, now and every hour, where records stood before any walk that may still go on. */
export function forgetMoves(engine: Engine, now: () => Date, onFailure: (error: unknown) => void): void {
  const forget = () => {
    // An hour more, since the clocks of several nodes differ a little.
    const before = new Date(now().getTime() - (WALK_HOURS + 1) * HOUR_MS)
    pruneMoves(engine, before.toISOString()).catch(onFailure)
  }
  setInterval(forget, HOUR_MS).unref()
  forget()
}
