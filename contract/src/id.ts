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
let lastId = ''

/** A ULID for a moment, lower-case; ids made one after the other in one process for the same millisecond ascend. */
export function newId(at: number): string {
  lastId = at === lastTime ? increased(lastId) : timePart(at) + newTail()
  lastTime = at
  return lastId
}

export const TAIL_LENGTH = 16
const random = new Uint8Array(64 * TAIL_LENGTH)
let used = random.length

/** Random. One call of the system fills many tails: it costs the same for one and for many. */
function newTail(): string {
  if (used === random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  used += TAIL_LENGTH
  let tail = ''
  for (let i = used - TAIL_LENGTH; i < used; i++) tail += ID_ALPHABET[(random[i] ?? 0) & 31]
  return tail
}

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

function increased(text: string): string {
  const rest = text.slice(0, -1)
  const next = ID_ALPHABET[ID_ALPHABET.indexOf(text.slice(-1)) + 1]
  return next === undefined ? `${increased(rest)}0` : rest + next
}
