import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { Refusal, type RefusalReason, refuse } from '@kith/contract/refusal'
import type { ContentStore } from '../contents/content-store.ts'
import type { FilesSettings } from '../contents/open-store.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import type { Outcome } from '../storage/engines/sql.ts'
import type { FileIdentity } from '../storage/engines/sqlite/file.ts'
import { DatabaseBusy, StorageTrouble, type TroubleKind } from '../storage/engines/storage-trouble.ts'
import { type Answer, answerError } from './answer.ts'
import type { Call, Execute } from './call.ts'

/** A thread with its own engine, and the tasks that wait for a reply. */
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

export function newThread(role: ThreadRole, settings: Pick<ThreadSettings, 'entry'>, onReady?: () => void): Thread {
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>()
  const cancelled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let closing = false
  let last = 0
  let worker: Worker | undefined
  let ready = false

  function spawn(): Worker {
    const spawned = new Worker(new URL(settings.entry), {
      workerData: { role, settings, cancelled },
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

/** The role of a thread. One for `files` has no engine. */
type ThreadRole = 'reader' | 'writer' | 'files'

export type ThreadSettings = {
  /** The module that the thread runs. */
  entry: string
  url: string
  secret: string
  query_seconds: number
  files: FilesSettings
  /** The database file that the service opened first, and its last migration. */
  file: FileIdentity | undefined
  migration: string
}

/** `cancelled` holds the number of the task whose reply is no longer needed, in memory that both sides share. */
type ThreadData = { role: ThreadRole; settings: ThreadSettings; cancelled: Int32Array }

/** Work for a thread: a call, one statement of a library that writes its own SQL, or a part of a file to check. */
export type Task = { call: Call } | { statement: { sql: string; parameters: readonly unknown[] } } | { part: unknown }

/** Only the text of an error can be sent between threads, so errors with a meaning have their own form. */
export type Reply =
  | { answer: Answer }
  | { outcome: Outcome }
  | { checked: unknown }
  | { refused: RefusalReason }
  | { error: Error }
  | { trouble: { kind: TroubleKind; message: string } }
  | { busy: true }

/** The number of the message that a thread sends when it is ready; tasks are numbered from 1. */
const READY = 0

export function roleOfThread(): ThreadRole {
  // Written by newThread.
  return (workerData as ThreadData).role
}

/** Runs inside a thread: executes tasks until the service closes it. */
export function serveThread(execute: Execute): void {
  const port = parentPort
  if (!port) throw new Error('This module runs in a worker thread.')
  // Written by newThread.
  const { role, settings, cancelled } = workerData as ThreadData
  if (role === 'reader') lowerPriority()
  const { url, secret, query_seconds, file, migration } = settings
  const openContent = contentsIn(settings.files)
  let engine: Engine | undefined
  // Only the service itself creates the database, at its start. A missing file is reported to each caller until it is
  // back.
  const open = (): Runtime => {
    if (!engine) {
      engine = openEngine({ url, connections: 1 }, { writes: role === 'writer', create: false, file })
      engine.holdTo(migration)
    }
    return { engine, secret, query_seconds, openContent, now: () => new Date() }
  }
  port.on('message', async ({ id, task }: { id: number; task: Task | null }) => {
    if (task === null) {
      await engine?.close()
      port.close()
      return
    }
    const isDisconnected = () => Atomics.load(cancelled, 0) === id
    const run: Execute = (runtime, call) => execute(runtime, call, isDisconnected)
    const reply = await replyTo(task, open, run)
    const bytes = 'answer' in reply ? reply.answer.bytes : undefined
    port.postMessage({ id, reply }, bytes ? [bytes.buffer] : [])
  })
  try {
    // Open at once, so that the first task does not wait for it. That task reports a failure.
    open()
  } catch {}
  port.postMessage({ id: READY })
}

/** Loads the store with the first content: most threads never need it. */
function contentsIn(files: FilesSettings): ContentStore['open'] {
  let store: ContentStore | undefined
  return async (name, part) => {
    const { openStore } = await import('../contents/open-store.ts')
    store ??= openStore(files, () => {})
    return store.open(name, part)
  }
}

/** Sends a part of a file to the thread that checks files, and returns the result. */
export async function checkIn(thread: Thread, part: unknown): Promise<unknown> {
  const reply = await thread.send({ part })
  if ('checked' in reply) return reply.checked
  if ('refused' in reply) return refuse(reply.refused)
  throw 'error' in reply ? reply.error : new Error('The thread for files replied with something else.')
}

/** Runs inside the thread that checks files, which needs no database. */
export function serveFiles(check: (part: unknown) => Promise<unknown>): void {
  const port = parentPort
  if (!port) throw new Error('This module runs in a worker thread.')
  lowerPriority()
  port.on('message', async ({ id, task }: { id: number; task: Task | null }) => {
    if (task === null) port.close()
    else port.postMessage({ id, reply: await checkedBy(check, task) })
  })
  port.postMessage({ id: READY })
}

async function checkedBy(check: (part: unknown) => Promise<unknown>, task: Task): Promise<Reply> {
  try {
    return { checked: 'part' in task ? await check(task.part) : undefined }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.reason }
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** Long work runs at a lower priority, so that it does not delay the event loop of the main thread. */
function lowerPriority(): void {
  try {
    // On Linux every thread has an id with its own priority.
    const [, own] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (own !== undefined) setPriority(Number(own), NICENESS)
  } catch {
    // On other systems threads share the priority of their process.
  }
}

const NICENESS = 5

async function replyTo(task: Task, open: () => Runtime, execute: Execute): Promise<Reply> {
  try {
    const runtime = open()
    if ('call' in task) return { answer: await execute(runtime, task.call) }
    if ('part' in task) throw new Error('Only a thread for files checks them.')
    const { sql, parameters } = task.statement
    return { outcome: await runtime.engine.single.session.run(sql, parameters) }
  } catch (error) {
    if ('call' in task) return { answer: answerError(error, true, task.call.request_id) }
    if (error instanceof DatabaseBusy) return { busy: true }
    if (error instanceof StorageTrouble) return { trouble: { kind: error.kind, message: error.message } }
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}
