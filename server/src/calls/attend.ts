import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { answerError } from '../http/wire/answer-errors.ts'
import { DatabaseBusy } from '../scope/database-busy.ts'
import type { Runtime } from '../scope/scope.ts'
import { StorageTrouble } from '../scope/storage-trouble.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import type { IsGone } from './call.ts'
import { carryOut } from './carry-out.ts'
import { type Order, READY, type Reply, type ThreadRole, type ThreadSettings } from './thread-messages.ts'

/** `abandoned` is the number of the order whose answer is of no use any more. */
type Given = { role: ThreadRole; settings: ThreadSettings; abandoned: Int32Array }

/** The inside of a thread: takes orders until it is told to end. */
function attend(port: NonNullable<typeof parentPort>, { role, settings, abandoned }: Given): void {
  if (role === 'reader') giveWay()
  const { url, secret, query_seconds, file } = settings
  let engine: Engine | undefined
  // Only the service itself makes a database, when it starts. A missing file is reported to each caller until it is back.
  const open = (): Runtime => {
    engine ??= openEngine({ url, connections: 1 }, { writes: role === 'writer', create: false, file })
    return { engine, secret, query_seconds, now: () => new Date() }
  }
  port.on('message', async ({ id, order }: { id: number; order: Order | null }) => {
    if (order === null) {
      await engine?.close()
      port.close()
      return
    }
    const isGone = () => Atomics.load(abandoned, 0) === id
    port.postMessage({ id, reply: await follow(open, order, isGone) })
  })
  openEarly(open)
  port.postMessage({ id: READY })
}

/** So that the first order need not wait for it. The first order reports what is wrong. */
function openEarly(open: () => Runtime): void {
  try {
    open()
  } catch {
    // See above.
  }
}

/** Long reads take what is left of the processor, so that the thread which takes requests is not held up by them. */
function giveWay(): void {
  try {
    // The thread's own number, which on Linux has a priority of its own.
    const [, own] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (own !== undefined) setPriority(Number(own), READER_NICENESS)
  } catch {
    // Elsewhere threads share the priority of their process.
  }
}

const READER_NICENESS = 5

async function follow(open: () => Runtime, order: Order, isGone: IsGone): Promise<Reply> {
  try {
    const runtime = open()
    if ('call' in order) return { answer: await carryOut(runtime, order.call, isGone) }
    const { sql, parameters } = order.statement
    return { outcome: await runtime.engine.single.session.run(sql, parameters) }
  } catch (error) {
    if ('call' in order) return { answer: answerError(error, true, order.call.request_id) }
    if (error instanceof DatabaseBusy) return { busy: true }
    if (error instanceof StorageTrouble) return { trouble: { kind: error.kind, message: error.message } }
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

if (parentPort) attend(parentPort, workerData)
