import { AsyncLocalStorage } from 'node:async_hooks'

/** How long one request may read. All its statements share the time. */
export type TimeLimit = {
  seconds: number
  /** On the clock of `performance.now()`. */
  ends: number
  /** Whether the client has disconnected, so that the answer is of no use. */
  isDisconnected?: (() => boolean) | undefined
}

/** The request has no time left. Its running statement was stopped. */
export class OutOfTime extends Error {
  readonly seconds: number

  constructor(seconds: number, cause?: unknown) {
    super(`A query took longer than ${seconds} s.`, { cause })
    this.seconds = seconds
  }
}

const limits = new AsyncLocalStorage<TimeLimit>()

/** Runs the work under a limit. All its statements see the limit without an extra argument. */
export function withTimeLimit<T>(limit: TimeLimit, work: () => Promise<T>): Promise<T> {
  return limits.run(limit, work)
}

/** With 0 seconds only a disconnect ends the work. */
export function newTimeLimit(seconds: number, isDisconnected?: () => boolean): TimeLimit {
  return {
    seconds,
    ends: seconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000,
    isDisconnected,
  }
}

/** The limit of the request that is being answered, if it has one. */
export function timeLimit(): TimeLimit | undefined {
  return limits.getStore()
}

/** How many milliseconds are left. Throws when there are none. */
export function timeLeft({ seconds, ends, isDisconnected }: TimeLimit): number {
  const left = ends - performance.now()
  if (left <= 0 || isDisconnected?.()) throw new OutOfTime(seconds)
  return left
}

/** For requests of which nothing more is known. */
