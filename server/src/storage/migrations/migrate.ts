import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { buildNextIndex } from '../engines/transactions.ts'
import { schema } from './0001-schema.ts'
import { dialectOf, type Migration } from './migration.ts'
import { countPartitions, inPartitions } from './partitions.ts'
import { restartForeignFeeds } from './schema/changes.ts'

/**
 * Brings the database to this version, in one transaction, and returns the names of the migrations that ran. With
 * `partitions` a new PostgreSQL database stores its large tables in so many parts.
 */
export function migrate(
  engine: Engine,
  now: Date,
  all: readonly Migration[] = migrations,
  partitions?: number,
): Promise<string[]> {
  return engine.transaction(async (inside) => {
    await engine.lock(inside, ['kith migrations'])
    const applied = await applyMigrations(engine, inside, { now, all, partitions })
    // Indexes that an interrupted bulk load did not rebuild.
    while (await buildNextIndex(inside));
    if (engine.dialect === 'postgres') await sql.raw(restartForeignFeeds).run(inside)
    return applied
  })
}

/** The same inside an open transaction. */
export async function applyMigrations(
  engine: Engine,
  inside: Db,
  steps: {
    now: Date
    /** The migrations of this version. */
    all?: readonly Migration[]
    /** Run only the migrations with these names. */
    only?: ReadonlySet<string>
    /** How many partitions the large tables get. Without it, those that the database has. */
    partitions?: number | undefined
  },
): Promise<string[]> {
  const { now, only, all = migrations } = steps
  await sql`create table if not exists migrations (name text primary key, applied_at text not null)`.run(inside)
  const applied = await loadApplied(inside)
  refuseNewer(applied, all)
  const missing = all.filter(({ name }) => !applied.has(name) && (only?.has(name) ?? true))
  const dialect = dialectOf(engine.dialect)
  const partitions = await choosePartitions(engine, inside, { wanted: steps.partitions, isNew: applied.size === 0 })
  for (const { name, statements } of missing) {
    const all = statements(dialect).flatMap((statement) => inPartitions(statement, partitions))
    for (const statement of all) await sql.raw(statement).run(inside)
    await sql`insert into migrations (name, applied_at) values (${name}, ${now.toISOString()})`.run(inside)
  }
  return missing.map((migration) => migration.name)
}

async function choosePartitions(
  { dialect }: Engine,
  inside: Db,
  { wanted, isNew }: { wanted: number | undefined; isNew: boolean },
): Promise<number> {
  if (dialect === 'sqlite') {
    if (wanted !== undefined) throw new Error('Only PostgreSQL has partitions, and this database is SQLite.')
    return 0
  }
  if (isNew) return wanted ?? 0
  const present = await countPartitions(inside)
  if (wanted === undefined || wanted === present) return present
  throw new Error(
    `The tables of this database have ${present === 0 ? 'no' : present} partitions, and that cannot change. Make a backup, ` +
      `migrate a new database with --partitions ${wanted}, and restore the backup there (kith restore).`,
  )
}

/** Whether the database has exactly the migrations of this version. */
export async function isMigrated(db: Db): Promise<boolean> {
  const applied = await loadApplied(db)
  return applied.size === migrations.length && migrations.every((migration) => applied.has(migration.name))
}

/** The names of the migrations that a database has. */
export async function loadApplied(db: Db): Promise<Set<string>> {
  return new Set(await sql<string>`select name from migrations`.column(db))
}

export function refuseNewer(applied: ReadonlySet<string>, all: readonly Migration[] = migrations): void {
  const unknown = unknownNames([...applied], all)
  if (unknown.length === 0) return
  throw new Error(
    `This database was written by a newer or an unreleased version of Kith (it has ${unknown.join(', ')}). ` +
      'Start that version again, or restore the backup from before the upgrade into a new database (kith restore).',
  )
}

/** The names that are not migrations of this version. */
export function unknownNames(names: readonly string[], all: readonly Migration[] = migrations): string[] {
  const known = new Set(all.map((migration) => migration.name))
  return names.filter((name) => !known.has(name))
}

/** In the order in which they run. Forward only: a released migration never changes. */
export const migrations: readonly Migration[] = [schema]
