import type { Db, Engine } from '../../../src/storage/engines/engine.ts'
import type { Session } from '../../../src/storage/engines/sql.ts'

/** A statement, and how many times an answer of the database had to be waited for before it could be asked. */
export type Ran = { sql: string; parameters: readonly unknown[]; waits: number }

/** An engine that keeps what it is asked to run, inside transactions too. */
export function recorded(engine: Engine, ran: Ran[]): Engine {
  let waits = -1
  let unanswered = 0
  const over = ({ session }: Db): Db => {
    const keeping: Session = {
      dialect: session.dialect,
      async run(sql, parameters) {
        if (unanswered++ === 0) waits++
        ran.push({ sql, parameters, waits })
        try {
          return await session.run(sql, parameters)
        } finally {
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
