import { randomBytes } from 'node:crypto'

/** How long a storm is, and which one. */
export type StormSettings = {
  /** The same seed chooses the same operations. A failure names it. */
  seed: string
  /** How many times each duel is fought, and how many times as long a storm lasts. */
  rounds: number
  /** The duels whose names match; all of them unless told otherwise. */
  only: RegExp | undefined
}

export function stormSettings({ STORM_SEED, STORM_ROUNDS, STORM_ONLY } = process.env): StormSettings {
  return {
    seed: STORM_SEED ?? randomBytes(4).toString('hex'),
    rounds: Math.max(1, Number(STORM_ROUNDS ?? 1)),
    only: STORM_ONLY === undefined ? undefined : new RegExp(STORM_ONLY, 'i'),
  }
}
