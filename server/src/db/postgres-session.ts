import type pg from 'pg'
import type { Db } from './engine.ts'
import { handleOver } from './handle.ts'
import type { Outcome, Session } from './session.ts'

export function handleOn(source: pg.Pool | pg.PoolClient, beforehand?: () => void): Db {
  return handleOver(sessionOn(source, beforehand))
}

export function sessionOn(source: pg.Pool | pg.PoolClient, beforehand?: () => void): Session {
  return {
    dialect: 'postgres',
    async run(sql, parameters) {
      beforehand?.()
      return outcomeOf(await source.query(queryOf(sql, parameters)))
    },
  }
}

export function outcomeOf({ rows, rowCount }: pg.QueryResult): Outcome {
  return { rows, affected: rowCount ?? 0 }
}

export function queryOf(sql: string, parameters: readonly unknown[]): pg.QueryConfig {
  return { name: nameOf(sql), text: sql, values: [...parameters] }
}

const STATEMENTS_NAMED = 1000
const names = new Map<string, string>()

/** Statements keep their name as long as the process lives, so that the server plans each of them once for a connection. */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known || names.size >= STATEMENTS_NAMED) return known
  const name = `kith_${names.size}`
  names.set(sql, name)
  return name
}
