import { createHash } from 'node:crypto'
import type { Db } from '../engine.ts'
import type { KnownMigration } from '../known-migration.ts'
import { sql } from '../sql.ts'
import { codeOf, MIGRATING, StorageTrouble } from '../storage-trouble.ts'
import { posting } from '../transactions.ts'

export function lockNumber(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE(0).toString()
}

export async function lock(inside: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const numbers = [...new Set(names.map(lockNumber))]
  // In ascending order, so that two transactions with the same locks never wait for each other. The next statement
  // sees what was committed before the locks were taken, although it is sent without waiting for them.
  await sql`select pg_advisory_xact_lock(n)
    from (select n from unnest(${numbers}::bigint[]) n order by n) ordered`.run(posting(inside))
}

export async function tryLock(inside: Db, name: string): Promise<boolean> {
  const taken = sql<boolean>`select pg_try_advisory_xact_lock(${lockNumber(name)}::bigint)`
  return (await taken.value(inside)) ?? false
}

/** Everything that writes shares it, and a migration takes it alone. */
const SCHEMA = 'kith schema'

/** An error ends the transaction in the server, so that no statement behind it waits for a table of the migration. */
const shareSchema = sql`select 1 / pg_try_advisory_xact_lock_shared(${lockNumber(SCHEMA)}::bigint)::int`

const DIVISION_BY_ZERO = '22012'

/**
 * The lock comes first: the statement behind it sees every migration that was committed before the lock was taken, and
 * no other one begins until this transaction ends. Both are sent at once, and nothing waits for them before the commit.
 */
export async function checkSchema(inside: Db, migration: KnownMigration): Promise<void> {
  if (!migration.isSet()) return
  const sharing = shareSchema.run(inside).catch((error) => {
    throw codeOf(error) === DIVISION_BY_ZERO ? new StorageTrouble('migrating', MIGRATING) : error
  })
  await Promise.all([sharing, migration.check(inside)])
}

/** A migration that waits for a table, because of a backup for example, keeps all others from that table. */
const TABLES_TIMEOUT = '2s'

export async function lockSchema(inside: Db): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(TABLES_TIMEOUT)}`.run(inside)
  await lock(inside, [SCHEMA])
}
