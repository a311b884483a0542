import type { Db } from './engine.ts'

/** Where a statement is sent that only reads and is over at once, however large the workspace: together with those of others, where that spares both sides most of the work. */
export function short(db: Db): Db {
  return db.short ?? db
}
