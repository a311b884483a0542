import type { Engine } from '../db/engine.ts'
import { openEngine } from '../db/open-engine.ts'
import { refuseBusy } from '../gate.ts'
import type { House } from '../scope.ts'
import type { ThreadSettings } from './attend.ts'
import { carryOut } from './carry-out.ts'
import type { Lanes } from './lanes.ts'
import { newThread, type Thread } from './threads.ts'

/**
 * SQLite answers synchronously, so each kind of work has a lane of its own: reads by id, which are always short, run
 * where the request came in; other reads in reader threads, on all cores; writes in the one writer thread.
 */
export function openSqliteLanes(settings: ThreadSettings, readerCount: number): { engine: Engine; lanes: Lanes } {
  const shed = new Map<string, number>()
  const writer = newThread('writer', settings)
  const readers = Array.from({ length: readerCount }, () => newThread('reader', settings))
  const engine = openEngine(
    { url: settings.url, connections: 1 },
    { writes: false, elsewhere: { dialect: 'sqlite', run: (sql, parameters) => runIn(writer, sql, parameters) } },
  )
  const house: House = { engine, secret: settings.secret, now: () => new Date() }
  const lanes: Lanes = {
    start() {
      // Threads are started by the first call: at rest they would take half of the memory.
    },
    async perform(call) {
      if (!writer.isReady()) writer.start()
      if (!readers[0]?.isReady()) readers[0]?.start()
      if (call.lane === 'short') return carryOut(house, call)
      const thread = call.lane === 'write' ? writer : readerAmong(readers)
      if (thread.isFull()) refuseBusy(shed, call.lane)
      const reply = await thread.send({ call })
      if ('answer' in reply) return reply.answer
      throw new Error('A thread answered a call with something else.')
    },
    shed,
    queues: () => [
      { lane: 'write', waiting: writer.busy() },
      { lane: 'read', waiting: readers.reduce((sum, reader) => sum + reader.busy(), 0) },
    ],
    async close() {
      await Promise.all([writer, ...readers].map((thread) => thread.close()))
      await engine.close()
    },
  }
  return { engine, lanes }
}

/** The least busy of those that are ready. While it has something to do already, another one makes itself ready. */
function readerAmong(readers: readonly Thread[]): Thread {
  let best = readers[0]
  let idle: Thread | undefined
  for (const reader of readers) {
    if (!reader.isReady()) idle ??= reader
    else if (!best?.isReady() || reader.busy() < best.busy()) best = reader
  }
  if (!best) throw new Error('There is no reader thread.')
  if (best.busy() > 0) idle?.start()
  return best
}

async function runIn(writer: Thread, sql: string, parameters: readonly unknown[]) {
  const reply = await writer.send({ statement: { sql, parameters } })
  if ('outcome' in reply) return reply.outcome
  throw 'error' in reply ? reply.error : new Error('A thread answered a statement with something else.')
}
