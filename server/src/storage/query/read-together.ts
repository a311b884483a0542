import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'

/** Whether every statement in here sees the same moment. */
export function seesOneMoment({ inside, engine }: Scope): boolean {
  return inside === 'snapshot' || (inside === 'transaction' && engine.transactionIsSnapshot)
}

/**
 * Runs several selects that all see the same moment, and returns the rows of each. Where a transaction sees more with every statement, they are sent as one: each
 * of them gives one column, a list of its rows as JSON.
 */
export async function readTogether(inside: Scope, queries: readonly RawBuilder<unknown>[]): Promise<unknown[][]> {
  if (seesOneMoment(inside)) {
    const outcomes = await Promise.all(queries.map((query) => query.execute(inside.db)))
    return outcomes.map(({ rows }) => rows)
  }
  const columns = queries.map((query, index) => {
    return sql`(select coalesce(json_agg(q), '[]') from (${query}) q) as ${sql.raw(`part_${index}`)}`
  })
  const { rows } = await sql`select ${sql.join(columns)}`.execute(inside.db)
  // The statement returns one row with these columns.
  const [row] = rows as Record<string, unknown[]>[]
  return queries.map((_, index) => row?.[`part_${index}`] ?? [])
}
