import type { Db, Engine } from '../engines/engine.ts'
import { buildNextIndex } from '../engines/postgres/index-builds.ts'
import { sql } from '../engines/sql.ts'
import { migrations } from './all.ts'
import { type Migration, wordsOf } from './words.ts'

export class NewerDatabase extends Error {}

/** Brings the database to this version, in one transaction, and returns the names of the migrations that ran. */
export function migrate(engine: Engine, now: Date, all: readonly Migration[] = migrations): Promise<string[]> {
  return engine.transaction(async (inside) => {
    await engine.lock(inside, ['kith migrations'])
    const applied = await applyMigrations(engine, inside, now, undefined, all)
    // What a load that was cut off has left undone.
    if (all === migrations) while (await buildNextIndex(inside));
    return applied
  })
}

/** Likewise, in a transaction that is there; with `only`, no further than the migrations of that name. */
export async function applyMigrations(
  engine: Engine,
  inside: Db,
  now: Date,
  only?: ReadonlySet<string>,
  all: readonly Migration[] = migrations,
): Promise<string[]> {
  await inside.session.run(
    'create table if not exists migrations (name text primary key, applied_at text not null)',
    [],
  )
  const applied = await loadApplied(inside)
  refuseNewer(applied)
  const missing = all.filter(({ name }) => !applied.has(name) && (only?.has(name) ?? true))
  const words = wordsOf(engine.dialect)
  for (const migration of missing) {
    for (const statement of migration.statements(words)) await inside.session.run(statement, [])
    await sql`insert into migrations (name, applied_at) values (${migration.name}, ${now.toISOString()})`.execute(
      inside,
    )
  }
  return missing.map((migration) => migration.name)
}

/** Whether the database stands at exactly this version. */
export async function isMigrated(db: Db): Promise<boolean> {
  const applied = await loadApplied(db)
  return applied.size === migrations.length && migrations.every((migration) => applied.has(migration.name))
}

/** The migrations that a database has seen. */
export async function loadApplied(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db)
  return new Set(rows.map((row) => row.name))
}

export function refuseNewer(applied: ReadonlySet<string>): void {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new NewerDatabase(
    `This database was written by a newer version of Kith (it has ${unknown.join(', ')}). Start that version, or restore a backup made by this one.`,
  )
}
