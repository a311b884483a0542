import { Worker } from 'node:worker_threads'
import { type Order, READY, type Reply, type ThreadRole, type ThreadSettings } from './thread-messages.ts'

type Waiting = { resolve: (reply: Reply) => void; reject: (error: Error) => void }

/** A thread with its own engine, and the orders it has not answered yet. */
export type Thread = {
  /** Begins to load what the thread needs; the first order does so too. */
  start(): void
  send(order: Order): Promise<Reply>
  busy(): number
  /** Whether it has been started, and may still be loading. */
  isStarted(): boolean
  /** Whether it has loaded what it needs. */
  isReady(): boolean
  /** Ends the read that is under way: its answer is of no use any more. */
  abandon(): void
  close(): Promise<void>
}

/** So long a thread may take to put its database away. */
const CLOSE_MS = 10_000

/** Room for what lives for one request. Left to itself it grows to a hundred, for little that can be measured. */
const YOUNG_MB = 24

export function newThread(role: ThreadRole, settings: ThreadSettings, onReady?: () => void): Thread {
  const waiting = new Map<number, Waiting>()
  /** Memory that both sides see: the number of the order that is abandoned. */
  const abandoned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let closing = false
  let last = 0
  let worker: Worker | undefined
  let ready = false

  function spawn(): Worker {
    const fresh = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { role, settings, abandoned },
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    fresh.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      if (id === READY) {
        ready = true
        onReady?.()
      }
      const one = waiting.get(id)
      waiting.delete(id)
      // It keeps the process from ending no longer.
      if (waiting.size === 0) fresh.unref()
      one?.resolve(reply)
    })
    let failure: unknown
    fresh.on('error', (error) => {
      failure = error
    })
    fresh.on('exit', (code) => {
      if (closing || worker !== fresh) return
      const why = failure instanceof Error ? `: ${failure.stack}` : ` with code ${code}.`
      for (const one of waiting.values()) one.reject(new Error(`A ${role} thread ended${why}`))
      waiting.clear()
      // The next order starts another one.
      worker = undefined
      ready = false
    })
    fresh.unref()
    return fresh
  }

  function running(): Worker {
    worker ??= spawn()
    return worker
  }

  return {
    start: () => void running(),
    send(order) {
      const id = ++last
      return new Promise((resolve, reject) => {
        if (waiting.size === 0) running().ref()
        waiting.set(id, { resolve, reject })
        running().postMessage({ id, order })
      })
    },
    busy: () => waiting.size,
    isStarted: () => worker !== undefined,
    isReady: () => ready,
    abandon() {
      const [first] = waiting.keys()
      if (first !== undefined) Atomics.store(abandoned, 0, first)
    },
    async close() {
      closing = true
      if (!worker) return
      const ending = worker
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      ending.ref()
      ending.postMessage({ id: 0, order: null })
      // All that was asked of it is answered by now; what the database keeps of it is whole however it ends.
      const impatient = setTimeout(() => void ending.terminate(), CLOSE_MS)
      await ended
      clearTimeout(impatient)
    },
  }
}
