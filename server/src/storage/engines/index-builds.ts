import { resourceNames } from '@kith/contract/resource'
import type { Db } from './engine.ts'
import { sql } from './sql.ts'

const tables = [...resourceNames, 'field_values', 'links', 'search_texts']

/** The indexes of a table that are not unique, with their statements. */
const found = {
  sqlite: (table: string) => sql<IndexBuild>`
    select name, sql as statement from sqlite_schema
    where type = 'index' and tbl_name = ${table} and sql is not null and lower(sql) not like ${'create unique%'}`,
  postgres: (table: string) => sql<IndexBuild>`
    select indexname as name, indexdef as statement from pg_indexes
    where schemaname = current_schema() and tablename = ${table} and lower(indexdef) not like ${'create unique%'}`,
}

type IndexBuild = { name: string; statement: string }

/**
 * Drops the indexes of empty tables, so that a large load builds each of them once, from sorted rows. Their statements
 * are stored in the same transaction: if the load is interrupted, the next start builds them.
 */
export async function deferIndexes(inside: Db): Promise<void> {
  for (const table of tables) {
    if (await sql`select 1 from ${sql.table(table)} limit 1`.exists(inside)) continue
    for (const { name, statement } of await found[inside.session.dialect](table).all(inside)) {
      await sql`insert into index_builds (name, statement) values (${name}, ${statement})`.run(inside)
      await sql`drop index ${sql.table(name)}`.run(inside)
    }
  }
}

/** Builds one of the dropped indexes; false when there is none left. */
export async function buildNextIndex(inside: Db): Promise<boolean> {
  const next = await sql<IndexBuild>`select name, statement from index_builds order by name limit 1`.one(inside)
  if (!next) return false
  // Another process may have built it in the meantime.
  const isOpen = await sql`delete from index_builds where name = ${next.name} returning name`.exists(inside)
  if (isOpen) await sql.raw(next.statement).run(inside)
  return true
}
