import { setTimeout } from 'node:timers/promises'
import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { codeOf } from '../engines/storage-trouble.ts'
import { buildNextIndex } from '../engines/transactions.ts'
import { schema } from './0001-schema.ts'
import { dialectOf, type Migration } from './migration.ts'
import { countPartitions, inPartitions } from './partitions.ts'
import { restartForeignFeeds } from './schema/changes.ts'

/**
 * Brings the database to this version, in one transaction, and returns the names of the migrations that ran. With
 * `partitions` a new PostgreSQL database stores its large tables in so many parts.
 */
export async function migrate(
  engine: Engine,
  now: Date,
  all: readonly Migration[] = migrations,
  partitions?: number,
): Promise<string[]> {
  const ran = await withTables(() =>
    engine.transaction(async (inside) => {
      await engine.lock(inside, ['kith migrations'])
      const applied = await applyMigrations(engine, inside, { now, all, partitions })
      // Indexes that an interrupted bulk load did not rebuild.
      while (await buildNextIndex(inside));
      if (engine.dialect === 'postgres') await sql.raw(restartForeignFeeds).run(inside)
      return applied
    }),
  )
  engine.holdTo(lastOf(all))
  return ran
}

const NOT_AVAILABLE = '55P03'
const TABLES_TRIES = 60
const TABLES_PAUSE_MS = 3000

/**
 * A migration takes tables from nodes that run, and does not wait long for them: requests queue behind it. While a
 * backup or a long export reads them, it is tried again, and the requests in between are answered.
 */
async function withTables<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== NOT_AVAILABLE) throw error
      if (tries === TABLES_TRIES) throw new Error(TABLES_IN_USE, { cause: error })
    }
    await setTimeout(TABLES_PAUSE_MS)
  }
}

const TABLES_IN_USE =
  'It must be brought to this version, but its tables are in use: a backup or another long transaction reads them. ' +
  'Nothing was changed. Start again when it has ended.'

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
  refuseForeign(applied, all)
  const missing = all.filter(({ name }) => !applied.has(name) && (only?.has(name) ?? true))
  const dialect = dialectOf(engine.dialect)
  const partitions = await choosePartitions(engine, inside, { wanted: steps.partitions, isNew: applied.size === 0 })
  if (missing.length > 0 && applied.size > 0) await engine.lockSchema(inside)
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

/** The name of the last migration: of this version, unless told otherwise. */
export function lastOf(all: readonly Migration[] = migrations): string {
  return all.at(-1)?.name ?? ''
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

function refuseForeign(applied: ReadonlySet<string>, all: readonly Migration[]): void {
  const origin = foreignOrigin([...applied], all)
  if (!origin) return
  throw new Error(`This database was migrated by ${origin.version}. ${origin.remedy}`)
}

/** The version that has migrated a database or made a backup, if this one cannot use it, and what to do with it. */
export function foreignOrigin(
  names: readonly string[],
  all: readonly Migration[] = migrations,
): { version: string; remedy: string } | undefined {
  const known = new Set(all.map((migration) => migration.name))
  const unknown = names.filter((name) => !known.has(name)).sort()
  const [first = ''] = unknown
  if (first === '') return undefined
  if (all[0] && !names.includes(all[0].name)) return { version: `a version before 1.0.0 (${first})`, remedy: GO_BACK }
  return { version: `a newer version (${unknown.join(', ')})`, remedy: GO_ON }
}

const GO_ON =
  'Start that version again, or restore the backup from before the upgrade into a new database (kith restore).'

const GO_BACK =
  'This one cannot bring its tables up, and has changed nothing. Start that version again, export the records there, ' +
  'and import them into a new database (docs/operate/upgrading.md).'

/** In the order in which they run. Forward only: a released migration never changes. */
export const migrations: readonly Migration[] = [schema]
