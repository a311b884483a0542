import { randomBytes } from 'node:crypto'
import { inRun, isLong } from '../run-length.ts'

/** How long a random run is, and which one. */
export type ConcurrencySettings = {
  /** The same seed chooses the same operations. A failure names it. */
  seed: string
  /** How many random runs there are, and how many times each pair of operations races. */
  rounds: number
  /** How many races there are at most. The long run leaves no pair out. */
  races: number
  /** The races whose names match; all of them unless told otherwise. */
  only: RegExp | undefined
}

export function concurrencySettings(
  { CONCURRENCY_SEED, CONCURRENCY_ROUNDS, CONCURRENCY_ONLY } = process.env,
): ConcurrencySettings {
  return {
    // The long run looks for unknown faults.
    seed: CONCURRENCY_SEED ?? (isLong ? randomBytes(4).toString('hex') : 'kith'),
    rounds: Math.max(1, Number(CONCURRENCY_ROUNDS ?? inRun({ short: 1, long: 20 }))),
    races: inRun({ short: 5, long: Number.POSITIVE_INFINITY }),
    only: CONCURRENCY_ONLY === undefined ? undefined : new RegExp(CONCURRENCY_ONLY, 'i'),
  }
}
