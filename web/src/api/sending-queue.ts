import { KithError } from '@kith/sdk'
import { createStore } from '../store.ts'

/** The wait before the next attempt while the service does not answer: 1, 2, 4 … 30 seconds. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000

type Sending<One> = {
  /** What waits to be sent. */
  next(): One | undefined
  /** Sends one until the service has stored or refused it. Throws if the same attempt may succeed later. */
  send(one: One): Promise<void>
  /** Whether it still waits after a failure. */
  isWaiting(one: One): boolean
  /** Does the work while no other tab does. */
  alone(work: () => Promise<void>): Promise<void>
  onSession(state: 'open' | 'ended'): void
}

/** Sends what waits in a tab, one after the other. While the service does not answer, it tries again. */
export function createSendingQueue<One>({ next, send, isWaiting, alone, onSession }: Sending<One>) {
  const failure = createStore<string | undefined>(undefined)
  let attempts = 0
  let running = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function sendWaiting(): Promise<void> {
    if (running || !next()) return
    running = true
    clearTimeout(timer)
    timer = undefined
    try {
      await alone(sendAll)
    } finally {
      running = false
    }
    // One that was added while the last one was finished.
    if (timer === undefined) await sendWaiting()
  }

  async function sendAll(): Promise<void> {
    for (let one = next(); one; one = next()) {
      try {
        await send(one)
        setFailure(undefined)
        onSession('open')
      } catch (error) {
        if (isWaiting(one)) return waitAfter(error)
      }
    }
  }

  function waitAfter(error: unknown): void {
    const ended = error instanceof KithError && error.kind === 'unauthenticated'
    if (ended) onSession('ended')
    const told = error instanceof KithError ? error.message : 'The service does not answer.'
    setFailure(ended ? 'Your session has ended.' : told)
    const asked = error instanceof KithError && error.retry_after !== null ? error.retry_after * 1000 : 0
    const wait = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS))
    attempts++
    timer = setTimeout(() => {
      timer = undefined
      void sendWaiting()
    }, wait)
  }

  function setFailure(reason: string | undefined): void {
    if (reason === undefined) attempts = 0
    failure.set(reason)
  }

  return {
    /** Why the queue waits, until it goes on. */
    failure,
    /** Sends what waits now. */
    send: sendWaiting,
    /** For a store that has changed: sends what waits, unless the queue waits itself. */
    sendUnlessPaused: (): void => {
      if (timer === undefined) void sendWaiting()
    },
  }
}

const passing: ReadonlySet<string> = new Set<KithError['kind']>([
  'unreachable',
  'busy',
  'too_slow',
  'rate_limited',
  'server_error',
  'unauthenticated',
])

/** A failure that passes: what was sent keeps its place in the queue. Others are refusals. */
export function isRefused(error: unknown): error is KithError {
  return error instanceof KithError && !passing.has(error.kind) && error.retry_after === null
}
