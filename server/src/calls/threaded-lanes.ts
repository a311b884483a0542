import { refuseBusy } from '../runtime/load-shedding.ts'
import { DatabaseBusy } from '../scope/database-busy.ts'
import type { Runtime } from '../scope/scope.ts'
import { StorageTrouble } from '../scope/storage-trouble.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import { carryOut } from './carry-out.ts'
import { fairQueue } from './fair-queue.ts'
import { GONE, type Lanes } from './lanes.ts'
import { ownerOf } from './owner-of.ts'
import { readersWith } from './readers.ts'
import type { Order, Reply, ThreadSettings } from './thread-messages.ts'
import { newThread, type Thread } from './threads.ts'

/** So many writes of one workspace are handed to the writer at a time, where they can share one flush. The others wait their turn. */
const WRITES_PER_WORKSPACE = 64

/**
 * SQLite answers synchronously, so each kind of work has a lane of its own: reads by id, which are always short, run
 * where the request came in; other reads in reader threads, on all cores; writes in the one writer thread.
 */
export function openSqliteLanes(
  settings: ThreadSettings,
  readersPerWorkspace: number,
): { engine: Engine; lanes: Lanes } {
  const shed = new Map<string, number>()
  const writer = newThread('writer', settings)
  const writes = fairQueue({ places: () => Number.POSITIVE_INFINITY, share: WRITES_PER_WORKSPACE })
  const readers = readersWith(settings, readersPerWorkspace)
  const engine = openEngine(
    { url: settings.url, connections: 1 },
    {
      writes: false,
      file: settings.file,
      runInWriter: (sql, parameters) => runIn(writer, sql, parameters),
    },
  )
  const runtime: Runtime = { engine, secret: settings.secret, now: () => new Date() }
  const lanes: Lanes = {
    start() {
      // Threads are started by the first call: at rest they would take half of the memory.
    },
    async perform(call, isGone) {
      if (!writer.isReady()) writer.start()
      readers.start()
      if (call.lane === 'short') return carryOut(runtime, call)
      const owner = ownerOf(call)
      const queue = call.lane === 'write' ? writes : readers.queue
      if (queue.isFull(owner.workspace)) refuseBusy(shed, call.lane)
      const order: Order = { call }
      const reply =
        call.lane === 'write'
          ? await writes.run(owner, () => writer.send(order))
          : await readers.send(owner, order, isGone)
      return reply === undefined ? GONE : answerIn(reply)
    },
    shed,
    queues: () => [
      { lane: 'write', waiting: writes.size() },
      { lane: 'read', waiting: readers.queue.size() },
    ],
    async close() {
      await Promise.all([writer.close(), readers.close()])
      await engine.close()
    },
  }
  return { engine, lanes }
}

function answerIn(reply: Reply) {
  if ('answer' in reply) return reply.answer
  throw new Error('A thread answered a call with something else.')
}

async function runIn(writer: Thread, sql: string, parameters: readonly unknown[]) {
  const reply = await writer.send({ statement: { sql, parameters } })
  if ('outcome' in reply) return reply.outcome
  if ('busy' in reply) throw new DatabaseBusy()
  if ('trouble' in reply) throw new StorageTrouble(reply.trouble.kind, reply.trouble.message)
  throw 'error' in reply ? reply.error : new Error('A thread answered a statement with something else.')
}
