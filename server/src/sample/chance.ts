/** A stream of chance that is the same for the same seed, everywhere. */
export type Chance = {
  /** From 0 up to but not including 1. */
  fraction(): number
  /** A whole number from 0 up to but not including the limit. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  /** True once in so many times. */
  oneIn(times: number): boolean
}

export function chanceFrom(seed: string): Chance {
  let state = hashOf(seed)
  function fraction(): number {
    // Mulberry32: small, fast and even enough for made-up data.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    pick(from) {
      const item = from[below(from.length)]
      if (item === undefined) throw new Error('There is nothing to pick from.')
      return item
    },
    oneIn: (times) => below(times) === 0,
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash | 0
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** A ULID for a moment, with chance in place of the machine's own randomness. */
export function seededId(at: number, chance: Chance): string {
  let time = ''
  for (let rest = at, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time
  let tail = ''
  for (let i = 0; i < 16; i++) tail += ALPHABET[chance.below(32)]
  return time + tail
}
