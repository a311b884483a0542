import type { Session } from './session.ts'

/**
 * A session that takes statements until it is ended. Of several reads that run side by side one may fail, which ends their transaction; what the others
 * ask then must not reach a connection that another call uses by now.
 */
export function untilEnded({ dialect, run }: Session): { session: Session; end(): void } {
  let ended = false
  const session: Session = {
    dialect,
    async run(sql, parameters) {
      if (ended) throw new Error('The read transaction has ended.')
      return run(sql, parameters)
    },
  }
  const end = () => {
    ended = true
  }
  return { session, end }
}
