import type { Db, Engine } from '../../src/db/engine.ts'
import { kyselyOver, type Session } from '../../src/db/session.ts'

export type Ran = { sql: string; parameters: readonly unknown[] }

/** An engine that keeps what it is asked to run, inside transactions too. */
export function recorded(engine: Engine, ran: Ran[]): Engine {
  const over = ({ session }: Db): Db => {
    const keeping: Session = {
      dialect: session.dialect,
      run(sql, parameters) {
        ran.push({ sql, parameters })
        return session.run(sql, parameters)
      },
    }
    return { query: kyselyOver(keeping), session: keeping }
  }
  return {
    ...engine,
    db: over(engine.db),
    transaction: (work) => engine.transaction((inside) => work(over(inside))),
  }
}
