import type { Db } from './engine.ts'

/** Where a statement is sent whose outcome nobody asks for: without waiting for its end, inside a transaction that can do that. */
export function posting(inside: Db): Db {
  return inside.posting ?? inside
}
