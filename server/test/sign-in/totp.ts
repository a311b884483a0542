import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that an authenticator app shows for a secret (RFC 6238), written apart from the library that checks it. */
export function totpOf(secret: string, at = Date.now()): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', base32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

const STEP_MS = 30_000
const lastSteps = new Map<string, number>()

/** A code that was not used before: each works once. The second is the one that the app shows next; others wait. */
export async function nextCode(secret: string): Promise<string> {
  const before = lastSteps.get(secret)
  const step = Math.max(Math.floor(Date.now() / STEP_MS), before === undefined ? 0 : before + 1)
  lastSteps.set(secret, step)
  // The code of the next step is accepted as well.
  await setTimeout(Math.max(0, (step - 1) * STEP_MS - Date.now()))
  return totpOf(secret, step * STEP_MS)
}

function base32(text: string): Buffer {
  let bits = ''
  for (const letter of text.toUpperCase().replaceAll('=', '')) {
    bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  }
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
