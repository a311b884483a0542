import type { Scope } from '../src/scope/scope.ts'
import type { Db } from '../src/storage/engines/engine.ts'

/** `begin` says that another response begins. */
export type Interrupted = Scope & { begin(): void }

/**
 * The same scope, in which others write between any two statements of a response: those that are asked at the same time
 * run one after the other, and `write` runs before each but the first. It is told the statement that comes next. On a
 * database with a single writer nothing can be written while a transaction is open, so there it runs between reads
 * only.
 */
export function interrupted(scope: Scope, write: (next: string) => Promise<unknown>): Interrupted {
  let last: Promise<unknown> = Promise.resolve()
  let asked = 0
  const over = ({ session, posting, count }: Db): Db => {
    const run: Db['session']['run'] = (sql, parameters) => {
      const mine = last.then(async () => {
        if (asked++ > 0) await write(sql)
        return session.run(sql, parameters)
      })
      last = mine.catch(() => {})
      return mine
    }
    return { session: { dialect: session.dialect, run }, posting, count }
  }
  const { engine } = scope
  const begin = () => {
    asked = 0
  }
  const between = {
    ...engine,
    db: over(engine.db),
    short: over(engine.short),
    readTransaction: <T>(work: (inside: Db) => Promise<T>) => engine.readTransaction((inside) => work(over(inside))),
  }
  if (!engine.remote) return { ...scope, db: between.db, engine: between, begin }
  const transaction: typeof engine.transaction = (work) => engine.transaction((inside) => work(over(inside)))
  const groupTransaction: typeof engine.groupTransaction = (name, work) =>
    engine.groupTransaction(name, (inside) => work(over(inside)))
  return { ...scope, db: between.db, engine: { ...between, transaction, groupTransaction }, begin }
}
