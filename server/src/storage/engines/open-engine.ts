import { isPostgres, sqlitePath } from './database-url.ts'
import type { Engine } from './engine.ts'
import { openPostgres } from './postgres/postgres.ts'
import { openSqlite, type SqliteSettings } from './sqlite/sqlite.ts'

export type DatabaseSettings = { url: string; connections: number }

/** Opens the database that the address names: `postgres://…`, or `file:` and a path. */
export function openEngine(settings: DatabaseSettings, sqlite: SqliteSettings): Engine {
  if (isPostgres(settings.url)) return openPostgres(settings)
  return openSqlite(sqlitePath(settings.url), sqlite)
}
