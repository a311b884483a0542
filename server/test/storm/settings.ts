import { randomBytes } from 'node:crypto'
import { inRun, isLong } from '../run-length.ts'

/** How long a storm is, and which one. */
export type StormSettings = {
  /** The same seed chooses the same operations. A failure names it. */
  seed: string
  /** How many storms there are, and how many times each pair of operations duels. */
  rounds: number
  /** How many duels there are at most. The long run leaves no pair out. */
  duels: number
  /** The duels whose names match; all of them unless told otherwise. */
  only: RegExp | undefined
}

export function stormSettings({ STORM_SEED, STORM_ROUNDS, STORM_ONLY } = process.env): StormSettings {
  return {
    // The long run looks for what nobody has met yet.
    seed: STORM_SEED ?? (isLong ? randomBytes(4).toString('hex') : 'kith'),
    rounds: Math.max(1, Number(STORM_ROUNDS ?? inRun({ short: 1, long: 20 }))),
    duels: inRun({ short: 20, long: Number.POSITIVE_INFINITY }),
    only: STORM_ONLY === undefined ? undefined : new RegExp(STORM_ONLY, 'i'),
  }
}
