import type { Db } from './engine.ts'

/** For statements whose results are not needed: inside a transaction on a remote database they are not waited for. */
export function posting(inside: Db): Db {
  return inside.posting ?? inside
}
