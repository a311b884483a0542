import type { Session } from './session.ts'

/**
 * A session that takes statements until it is ended. If one of several concurrent reads fails, their transaction ends,
 * and statements of the others must not reach a connection that another call may use by then.
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
