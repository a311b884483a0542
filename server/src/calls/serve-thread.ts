import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseBusy } from '../scope/database-busy.ts'
import type { Runtime } from '../scope/scope.ts'
import { StorageTrouble } from '../scope/storage-trouble.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import { answerError } from './answer-errors.ts'
import type { Execute } from './call.ts'
import { READY, type Reply, type Task, type ThreadData } from './thread-messages.ts'

/** Runs inside a thread: executes tasks until the service closes it. */
export function serveThread(execute: Execute): void {
  const port = parentPort
  if (!port) throw new Error('This module runs in a worker thread.')
  // Written by newThread.
  const { role, settings, cancelled } = workerData as ThreadData
  if (role === 'reader') lowerPriority()
  const { url, secret, query_seconds, file } = settings
  let engine: Engine | undefined
  // Only the service itself creates the database, at its start. A missing file is reported to each caller until it is
  // back.
  const open = (): Runtime => {
    engine ??= openEngine({ url, connections: 1 }, { writes: role === 'writer', create: false, file })
    return { engine, secret, query_seconds, now: () => new Date() }
  }
  port.on('message', async ({ id, task }: { id: number; task: Task | null }) => {
    if (task === null) {
      await engine?.close()
      port.close()
      return
    }
    const isDisconnected = () => Atomics.load(cancelled, 0) === id
    const run: Execute = (runtime, call) => execute(runtime, call, isDisconnected)
    port.postMessage({ id, reply: await replyTo(task, open, run) })
  })
  openEarly(open)
  port.postMessage({ id: READY })
}

/** So that the first task does not wait for it. That task reports a failure. */
function openEarly(open: () => Runtime): void {
  try {
    open()
  } catch {
    // See above.
  }
}

/** Long reads run at a lower priority, so that they do not delay the event loop of the main thread. */
function lowerPriority(): void {
  try {
    // On Linux every thread has an id with its own priority.
    const [, own] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (own !== undefined) setPriority(Number(own), READER_NICENESS)
  } catch {
    // On other systems threads share the priority of their process.
  }
}

const READER_NICENESS = 5

async function replyTo(task: Task, open: () => Runtime, execute: Execute): Promise<Reply> {
  try {
    const runtime = open()
    if ('call' in task) return { answer: await execute(runtime, task.call) }
    const { sql, parameters } = task.statement
    return { outcome: await runtime.engine.single.session.run(sql, parameters) }
  } catch (error) {
    if ('call' in task) return { answer: answerError(error, true, task.call.request_id) }
    if (error instanceof DatabaseBusy) return { busy: true }
    if (error instanceof StorageTrouble) return { trouble: { kind: error.kind, message: error.message } }
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}
