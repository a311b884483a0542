import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { IsGone } from '../call.ts'
import type { Engine } from '../db/engine.ts'
import { openEngine } from '../db/open-engine.ts'
import type { House } from '../scope.ts'
import { carryOut } from './carry-out.ts'
import { READY } from './ready.ts'
import type { Order, Reply } from './threads.ts'

export type ThreadRole = 'reader' | 'writer'
export type ThreadSettings = { url: string; secret: string; query_seconds: number }

/** `abandoned` is the number of the order whose answer is of no use any more. */
type Given = { role: ThreadRole; settings: ThreadSettings; abandoned: Int32Array }

/** The inside of a thread: takes orders until it is told to end. */
function attend(port: NonNullable<typeof parentPort>, { role, settings, abandoned }: Given): void {
  if (role === 'reader') giveWay()
  const engine: Engine = openEngine({ url: settings.url, connections: 1 }, { writes: role === 'writer' })
  const { secret, query_seconds } = settings
  const house: House = { engine, secret, query_seconds, now: () => new Date() }
  port.on('message', async ({ id, order }: { id: number; order: Order | null }) => {
    if (order === null) {
      await engine.close()
      port.close()
      return
    }
    const isGone = () => Atomics.load(abandoned, 0) === id
    port.postMessage({ id, reply: await follow(house, order, isGone) })
  })
  port.postMessage({ id: READY })
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

async function follow(house: House, order: Order, isGone: IsGone): Promise<Reply> {
  if ('call' in order) return { answer: await carryOut(house, order.call, isGone) }
  try {
    const { sql, parameters } = order.statement
    return { outcome: await house.engine.single.session.run(sql, parameters) }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

if (parentPort) attend(parentPort, workerData)
