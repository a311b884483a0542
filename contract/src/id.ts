export const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ULID = /^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$/

export const ID_LENGTH = 26

/** Reads an id in any letter case; anything that is not a ULID is undefined. */
export function parseId(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length !== ID_LENGTH) return undefined
  const id = text.toLowerCase()
  return ULID.test(id) ? id : undefined
}

let lastTime = -1
let lastTail: number[] = []

/** A ULID for a moment, lower-case; ids made one after the other in one process for the same millisecond ascend. */
export function newId(at: number): string {
  if (at === lastTime) lastTail = increased(lastTail)
  else lastTail = newTail()
  lastTime = at
  return timePart(at) + lastTail.map((digit) => ID_ALPHABET[digit]).join('')
}

export const TAIL_LENGTH = 16
const random = new Uint8Array(64 * TAIL_LENGTH)
let used = random.length

/** Random. One call of the system fills many tails: it costs the same for one and for many. */
function newTail(): number[] {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  used += TAIL_LENGTH
  return Array.from(random.subarray(used - TAIL_LENGTH, used), (byte) => byte & 31)
}

/** The moment with which an id begins. */
export function momentOf(id: string): string {
  let at = 0
  for (const digit of id.slice(0, TIME_LENGTH)) at = at * 32 + ID_ALPHABET.indexOf(digit)
  return new Date(at).toISOString()
}

/** The lowest id of a moment: every id made before that is lower. */
export function firstIdAt(at: number): string {
  return timePart(at) + '0'.repeat(TAIL_LENGTH)
}

const TIME_LENGTH = 10

function timePart(at: number): string {
  let rest = at
  let text = ''
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ID_ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function increased(tail: readonly number[]): number[] {
  const next = [...tail]
  for (let i = next.length - 1; i >= 0; i--) {
    const digit = next[i] ?? 0
    if (digit < 31) {
      next[i] = digit + 1
      return next
    }
    next[i] = 0
  }
  return next
}
