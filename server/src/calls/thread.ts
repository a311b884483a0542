import { Worker } from 'node:worker_threads'
import {
  READY,
  type Reply,
  type Task,
  type ThreadData,
  type ThreadRole,
  type ThreadSettings,
} from './thread-messages.ts'

type Waiting = { resolve: (reply: Reply) => void; reject: (error: Error) => void }

/** A thread with its own engine, and the tasks without a reply. */
export type Thread = {
  /** Starts loading; the first task does so too. */
  start(): void
  send(task: Task): Promise<Reply>
  busy(): number
  /** Whether it was started. It may still be loading. */
  isStarted(): boolean
  /** Whether it has finished loading. */
  isReady(): boolean
  /** Cancels the running read: its reply is no longer needed. */
  cancel(): void
  close(): Promise<void>
}

/** How long a thread may take to close its database. */
const CLOSE_MS = 10_000

/** Memory for short-lived objects. V8's default grows to about 100 MB, for no measurable gain. */
const YOUNG_MB = 24

export function newThread(role: ThreadRole, settings: ThreadSettings, onReady?: () => void): Thread {
  const waiting = new Map<number, Waiting>()
  const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let closing = false
  let last = 0
  let worker: Worker | undefined
  let ready = false

  function spawn(): Worker {
    const workerData: ThreadData = { role, settings, cancelled }
    const spawned = new Worker(new URL(settings.entry), {
      workerData,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    spawned.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      if (id === READY) {
        ready = true
        onReady?.()
      }
      const one = waiting.get(id)
      waiting.delete(id)
      // An idle thread does not keep the process alive.
      if (waiting.size === 0) spawned.unref()
      one?.resolve(reply)
    })
    let failure: unknown
    spawned.on('error', (error) => {
      failure = error
    })
    spawned.on('exit', (code) => {
      if (closing || worker !== spawned) return
      const why = failure instanceof Error ? `: ${failure.stack}` : ` with code ${code}.`
      for (const one of waiting.values()) one.reject(new Error(`A ${role} thread ended${why}`))
      waiting.clear()
      // The next task starts another one.
      worker = undefined
      ready = false
    })
    spawned.unref()
    return spawned
  }

  function running(): Worker {
    worker ??= spawn()
    return worker
  }

  return {
    start: () => void running(),
    send(task) {
      const id = ++last
      return new Promise((resolve, reject) => {
        if (waiting.size === 0) running().ref()
        waiting.set(id, { resolve, reject })
        running().postMessage({ id, task })
      })
    },
    busy: () => waiting.size,
    isStarted: () => worker !== undefined,
    isReady: () => ready,
    cancel() {
      const [first] = waiting.keys()
      if (first !== undefined) Atomics.store(cancelled, 0, first)
    },
    async close() {
      closing = true
      if (!worker) return
      const ending = worker
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      ending.ref()
      ending.postMessage({ id: 0, task: null })
      // All tasks have replies by now, and the database is consistent even if the thread is terminated.
      const overdue = setTimeout(() => void ending.terminate(), CLOSE_MS)
      await ended
      clearTimeout(overdue)
    },
  }
}
