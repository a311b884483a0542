import type { Db, Engine } from './engine.ts'
import type { Session } from './sql.ts'

/** A statement that was run. */
export type Ran = {
  sql: string
  parameters: readonly unknown[]
  /** How many times an answer of the database had to be waited for before it could be asked. */
  waits: number
  /** How long the answer took, in milliseconds, and how many rows it has. */
  ms: number
  rows: number
}

/** An engine that keeps what it is asked to run, inside transactions too. */
export function recorded(engine: Engine, ran: Ran[]): Engine {
  let waits = -1
  let unanswered = 0
  const over = ({ session }: Db): Db => {
    const keeping: Session = {
      dialect: session.dialect,
      async run(sql, parameters) {
        if (unanswered++ === 0) waits++
        const one = { sql, parameters, waits, ms: 0, rows: 0 }
        ran.push(one)
        const begun = performance.now()
        try {
          const outcome = await session.run(sql, parameters)
          one.rows = outcome.rows.length
          return outcome
        } finally {
          one.ms = performance.now() - begun
          unanswered--
        }
      },
    }
    return { session: keeping }
  }
  return {
    ...engine,
    db: over(engine.db),
    short: over(engine.short),
    readTransaction: (work) => engine.readTransaction((inside) => work(over(inside))),
    transaction: (work) => engine.transaction((inside) => work(over(inside))),
    groupTransaction: (name, work) => engine.groupTransaction(name, (inside) => work(over(inside))),
  }
}

/** How the database finds the rows of a statement. PostgreSQL runs it. */
export async function planOf({ dialect, db }: Engine, { sql, parameters }: Ran): Promise<string[]> {
  if (dialect === 'postgres') {
    const { rows } = await db.session.run(`explain (analyze, buffers) ${sql}`, parameters)
    // What PostgreSQL answers to this.
    return (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN'])
  }
  const { rows } = await db.session.run(`explain query plan ${sql}`, parameters)
  const depths = new Map<number, number>()
  // What SQLite answers to this. A step comes after the one that it is a part of.
  return (rows as { id: number; parent: number; detail: string }[]).map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(id, depth)
    return '  '.repeat(depth) + detail
  })
}
