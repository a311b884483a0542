import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isPostgres, sqlitePath } from './database-url.ts'
import type { Engine } from './engine.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite, type SqliteSettings } from './sqlite.ts'

export type DatabaseSettings = { url: string; connections: number }

/** Opens whichever database the address names: `postgres://…`, or `file:` and a path. */
export function openEngine(settings: DatabaseSettings, sqlite: SqliteSettings): Engine {
  if (isPostgres(settings.url)) return openPostgres(settings)
  const path = sqlitePath(settings.url)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return openSqlite(path, sqlite)
}
