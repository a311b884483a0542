import { firstIdAt, ID_ALPHABET, TAIL_LENGTH } from '@kith/contract/id'

/** A stream of pseudo-random numbers, the same for the same seed on every machine. */
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

export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash | 0
}

/** The place of a number below `size` in an order that depends on the seed. No two numbers have the same place. */
export function shuffled(index: number, size: number, seed: number): number {
  const bits = Math.max(4, 32 - Math.clz32(size - 1))
  const mask = 2 ** bits - 1
  const half = bits >> 1
  let place = index
  // Each step maps the numbers of so many bits onto themselves. Repeat it until the place is below the size.
  do {
    place = Math.imul(place ^ (seed & mask), 0x2c1b3c6d) & mask
    place ^= place >>> half
    place = Math.imul(place + (seed >>> 16), 0x297a2d39) & mask
    place ^= place >>> half
  } while (place >= size)
  return place
}

/** A ULID for a time, with a tail from the stream instead of the system's randomness. */
export function seededId(at: number, chance: Chance): string {
  const time = firstIdAt(at).slice(0, -TAIL_LENGTH)
  return time + Array.from({ length: TAIL_LENGTH }, () => ID_ALPHABET[chance.below(32)]).join('')
}
