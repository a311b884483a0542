import type { Db } from './engine.ts'
import { sql } from './sql.ts'
import { OUTDATED, StorageTrouble } from './storage-trouble.ts'

/** The last migration of this version. Until it is set, nothing is refused. */
export type KnownMigration = {
  set(name: string): void
  isSet(): boolean
  /**
   * Throws when the database has another one. A newer version may migrate the database while this one runs, and what
   * this one writes then may miss what the migration has made of the rows before.
   */
  check(inside: Db): Promise<void>
}

export function knownMigration(): KnownMigration {
  let known: string | undefined
  return {
    set(name) {
      known = name
    },
    isSet: () => known !== undefined,
    async check(inside) {
      if (known === undefined) return
      const last = await sql<string>`select max(name) from migrations`.value(inside)
      if (last !== known) throw new StorageTrouble('outdated', OUTDATED)
    },
  }
}
