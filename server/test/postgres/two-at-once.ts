import { inTransaction, type Scope } from '../../src/scope/scope.ts'
import type { Db } from '../../src/storage/engines/engine.ts'
import { type Session, sql } from '../../src/storage/engines/sql.ts'

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Until a transaction waits for a lock of another one, or this one has ended. */
export async function untilOneWaits({ engine }: Scope, ...unlessEnded: Promise<unknown>[]): Promise<void> {
  const waiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and backend_type = 'client backend'`
  let ended = false
  const end = () => {
    ended = true
  }
  for (const one of unlessEnded) one.then(end, end)
  while (!ended && (await waiting.one(engine.db))?.n === 0) await pause()
}

/** Leaves a transaction open once its work is done, until it is told to end. */
export async function left(scope: Scope, work: (inside: Scope) => Promise<unknown>): Promise<() => Promise<void>> {
  const [done, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const whole = inTransaction(scope, async (inside) => {
    await work(inside)
    done.resolve()
    await ending.promise
  })
  await Promise.race([done.promise, whole])
  return async () => {
    ending.resolve()
    await whole
  }
}

/** A scope whose first transaction stops before a statement, and which counts how often its transactions are run. */
export type Paused = {
  scope: Scope
  reached: Promise<void>
  goOn(): void
  attempts(): number
}

export function pausedAt(scope: Scope, isPoint: RegExp): Paused {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let attempts = 0
  const over = ({ dialect, run }: Session): Session => ({
    dialect,
    async run(text, parameters) {
      if (isPoint.test(text)) {
        reached.resolve()
        await going.promise
      }
      return run(text, parameters)
    },
  })
  const watched = ({ session, posting, count }: Db): Db => ({
    session: over(session),
    ...(posting && { posting: { session: over(posting.session), ...(count && { count }) } }),
    ...(count && { count }),
  })
  const { engine } = scope
  const run = <T>(work: (inside: Db) => Promise<T>) => {
    return (inside: Db) => {
      attempts++
      return work(watched(inside))
    }
  }
  const own: typeof engine = {
    ...engine,
    transaction: (work) => engine.transaction(run(work)),
    groupTransaction: (name, work) => engine.groupTransaction(name, run(work)),
  }
  return {
    scope: { ...scope, engine: own },
    reached: reached.promise,
    goOn: () => going.resolve(),
    attempts: () => attempts,
  }
}

/** Counts how often the transactions of a scope are run. */
export function counted(scope: Scope): Paused {
  return pausedAt(scope, /^never$/)
}
