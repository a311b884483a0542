import type { Writable } from 'node:stream'

/** Waits until a stream takes more, or is closed. */
export async function untilDrained(stream: Writable): Promise<void> {
  if (stream.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.once('drain', resolve).once('close', resolve)
  await promise
  stream.off('drain', resolve).off('close', resolve)
}
