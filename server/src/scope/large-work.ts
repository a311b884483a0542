import type { Scope } from './scope.ts'

/** Larger rows take too long on the event loop: a megabyte takes about ten milliseconds until it is sent. */
export const LARGE_BYTES = 256 * 1024

/** A short read has found large rows. It has not loaded them yet, and the same call runs again as a long read. */
export class LargeRead extends Error {
  constructor() {
    super('The rows of a short read are large.')
  }
}

/** Ends a short read of large rows. */
export function requireSmall({ short }: Scope, bytes: number): void {
  if (short && bytes > LARGE_BYTES) throw new LargeRead()
}

/** Gives tasks of one kind turns of the event loop: one part of one task per turn, in the order of the calls. */
export function newTurns(): () => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
}

/** The event loop is never busy for longer than one part, independent of the number of large answers. */
const ownTurn = newTurns()

/** Divides large work into parts. Call it with the bytes of each step, and await it. */
export function newParts(): (bytes: number) => Promise<unknown> | undefined {
  let left = LARGE_BYTES
  return (bytes) => {
    left -= bytes
    if (left > 0) return undefined
    left = LARGE_BYTES
    return ownTurn()
  }
}

/** Maps items in parts. `bytesOf` returns the size of the work for an item. */
export async function mapInParts<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  bytesOf: (result: Result, item: Item) => number,
): Promise<Result[]> {
  const nextPart = newParts()
  const results: Result[] = []
  for (const item of items) {
    const result = work(item)
    results.push(result)
    const turn = nextPart(bytesOf(result, item))
    if (turn) await turn
  }
  return results
}

/** Encodes a text in UTF-8, in parts. */
export async function encodeInParts(text: string): Promise<Uint8Array<ArrayBuffer>> {
  // A separate buffer, which a thread can transfer.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  let written = 0
  for (let at = 0; at < text.length; ) {
    const end = endOfPart(text, at)
    written += bytes.write(text.slice(at, end), written)
    at = end
    await ownTurn()
  }
  return bytes
}

/** A part ends with a whole character: it never splits a surrogate pair. */
function endOfPart(text: string, start: number): number {
  const end = Math.min(start + LARGE_BYTES, text.length)
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end
}
