import { firstIdAt, ID_ALPHABET, TAIL_LENGTH } from '@kith/contract/id'
import { DAY_MS, HOUR_MS } from '@kith/contract/limits'

/** A stream of pseudo-random numbers, the same for the same seed on every machine. */
export type Chance = {
  /** From 0 up to but not including 1. */
  fraction(): number
  /** A whole number from 0 up to but not including the limit. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  /** True in one of `times` calls on average. */
  oneIn(times: number): boolean
}

export function chanceFrom(seed: string): Chance {
  let state = hashOf(seed)
  function fraction(): number {
    // Mulberry32: small, fast and even enough for sample data.
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

/**
 * The position of a number below `size` in an order that depends on the seed. No two numbers have the same position.
 */
export function shuffled(index: number, size: number, seed: number): number {
  const bits = Math.max(4, 32 - Math.clz32(size - 1))
  const mask = 2 ** bits - 1
  const half = bits >> 1
  let place = index
  // Each step is a permutation of the numbers with this many bits. Repeat it until the result is below the size.
  do {
    place = Math.imul(place ^ (seed & mask), 0x2c1b3c6d) & mask
    place ^= place >>> half
    place = Math.imul(place + (seed >>> 16), 0x297a2d39) & mask
    place ^= place >>> half
  } while (place >= size)
  return place
}

/** A ULID for a time, with random bits from the stream instead of the system. */
export function seededId(at: number, chance: Chance): string {
  const time = firstIdAt(at).slice(0, -TAIL_LENGTH)
  return time + Array.from({ length: TAIL_LENGTH }, () => ID_ALPHABET[chance.below(32)]).join('')
}

const YEAR_DAYS = 365

const DAY_STARTS = 8

const DAY_HOURS = 9

/** Working hours: Monday to Friday from 8 to 17 o'clock UTC. */
export type Calendar = {
  /** The start of today. Everything that has happened is before it. */
  today: number
  /** A working time of the last year, later for a larger fraction. Fractions are from 0 up to but not including 1. */
  at(fraction: number): number
}

export function calendarUntil(today: number): Calendar {
  const days = Array.from({ length: YEAR_DAYS }, (_, index) => today - (YEAR_DAYS - index) * DAY_MS).filter(isWorkday)
  return {
    today,
    at(fraction) {
      const place = fraction * days.length
      const day = days[Math.floor(place)] ?? today
      return Math.floor(day + (DAY_STARTS + (place % 1) * DAY_HOURS) * HOUR_MS)
    },
  }
}

function isWorkday(at: number): boolean {
  const weekday = new Date(at).getUTCDay()
  return weekday > 0 && weekday < 6
}

/** The start of a working day `days` later, or earlier if negative. Weekends are skipped. */
export function workday(at: number, days: number): number {
  let day = Math.floor(at / DAY_MS + days) * DAY_MS
  while (!isWorkday(day)) day += days < 0 ? -DAY_MS : DAY_MS
  return day
}

/** A full or half hour of a working day. The fraction is from 0 up to but not including 1. */
export function appointment(day: number, fraction: number): number {
  return day + (DAY_STARTS + Math.floor(fraction * DAY_HOURS * 2) / 2) * HOUR_MS
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
