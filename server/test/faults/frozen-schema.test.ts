import { expect, it } from 'vitest'
import type { Db } from '../../src/storage/engines/engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { loadApplied, migrate, migrations } from '../../src/storage/migrations/migrate.ts'
import { testEngine } from '../engine.ts'

const FROZEN = '../../src/storage/migrations/frozen'

/** The names of the migrations, and everything that they make, as the database itself describes it: one line each. */
async function describeSchema(db: Db): Promise<string> {
  const { dialect } = db.session
  const statements = dialect === 'sqlite' ? inSqlite : inPostgres
  const lines = await sql<string>`select 'migration ' || name from migrations order by name`.column(db)
  for (const statement of statements) lines.push(...(await statement.column(db)))
  return `${lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()).join('\n')}\n`
}

/** The tables of the search index are made by the index itself. */
const inSqlite = [
  sql<string>`select type || ' ' || name || ': ' || sql from sqlite_schema
    where sql is not null and name not glob 'search_*' and name not glob 'sqlite_*'
    order by type, name`,
]

const inPostgres = [
  sql<string>`select 'column ' || c.table_name || '.' || c.column_name || ': ' || c.data_type || ' '
      || coalesce(c.collation_name, '') || case c.is_nullable when 'NO' then ' not null' else '' end
      || coalesce(' default ' || c.column_default, '')
    from information_schema.columns c where c.table_schema = current_schema()
    order by c.table_name, c.column_name`,
  sql<string>`select 'constraint ' || t.relname || ' ' || c.conname || ': ' || pg_get_constraintdef(c.oid)
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where c.connamespace = current_schema()::regnamespace and c.contype <> 'n' order by t.relname, c.conname`,
  sql<string>`select 'settings ' || relname || ': ' || array_to_string(reloptions, ', ') from pg_class
    where relkind in ('r', 'i') and reloptions is not null and relnamespace = current_schema()::regnamespace order by relname`,
  sql<string>`select 'index ' || indexname || ': ' || indexdef from pg_indexes
    where schemaname = current_schema() order by tablename, indexname`,
  sql<string>`select 'function ' || p.proname || ': ' || md5(p.prosrc) || ' ' || pg_get_function_identity_arguments(p.oid)
    from pg_proc p where p.pronamespace = current_schema()::regnamespace and not exists (
      select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by p.proname, p.oid::text`,
  sql<string>`select 'trigger ' || t.tgname || ': ' || pg_get_triggerdef(t.oid) from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by t.tgname`,
]

it('the migrations make the schema that is frozen', async () => {
  const engine = await testEngine()
  await migrate(engine, new Date())
  // `npm run schema` writes the files.
  await expect(await describeSchema(engine.db)).toMatchFileSnapshot(`${FROZEN}/${engine.dialect}.txt`)
  await engine.close()
})

it('a column or an index more is another schema', async () => {
  const engine = await testEngine()
  await migrate(engine, new Date())
  const before = await describeSchema(engine.db)
  for (const statement of [
    'alter table users add column nickname text',
    'create index nicknames on users (nickname)',
  ]) {
    const name = `9999-${statement.length}`
    const known = [...migrations, ...[...(await loadApplied(engine.db))].filter(isOwn).map(nothing)]
    await migrate(engine, new Date(), [...known, { name, statements: () => [statement] }])
    expect(await describeSchema(engine.db)).not.toBe(before)
  }
  await engine.close()
})

const isOwn = (name: string) => name.startsWith('9999-')
const nothing = (name: string) => ({ name, statements: () => [] })
