import type { Db } from './engine.ts'
import type { DialectName, Outcome } from './session.ts'

/** A statement whose text never changes, written with `?` for its parameters. The text is made once for each database, which may have words of its own. */
export function fixed<Row>(sql: string, onPostgres = sql): (db: Db, parameters: readonly unknown[]) => Promise<Row[]> {
  const run = fixedOutcome(sql, onPostgres)
  // The caller names the row that its own statement selects.
  return async (db, parameters) => (await run(db, parameters)).rows as Row[]
}

/** Likewise, for statements whose number of touched rows matters. */
export function fixedOutcome(
  sql: string,
  onPostgres = sql,
): (db: Db, parameters: readonly unknown[]) => Promise<Outcome> {
  const texts: Record<DialectName, string> = { sqlite: sql, postgres: numbered(onPostgres) }
  return (db, parameters) => db.session.run(texts[db.session.dialect], parameters)
}

function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
