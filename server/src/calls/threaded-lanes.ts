import { DatabaseBusy } from '../scope/database-busy.ts'
import type { Runtime } from '../scope/scope.ts'
import { StorageTrouble } from '../scope/storage-trouble.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import type { Execute } from './call.ts'
import { fairQueue } from './fair-queue.ts'
import { DISCONNECTED, type Lanes, ownerOf, refuseBusy } from './lanes.ts'
import { readersWith } from './readers.ts'
import { newThread, type Thread } from './thread.ts'
import type { Reply, Task, ThreadSettings } from './thread-messages.ts'

/** How many writes of one workspace the writer has at a time, where they can share one flush. The others wait. */
const WRITES_PER_WORKSPACE = 64

type ThreadedSettings = ThreadSettings & { readersPerWorkspace: number }

/**
 * SQLite runs synchronously, so each kind of work has its own lane: short reads run on the event loop, other reads in
 * reader threads on all cores, writes in the one writer thread.
 */
export function openThreadedLanes(
  { readersPerWorkspace, ...settings }: ThreadedSettings,
  execute: Execute,
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
    async execute(call, isDisconnected) {
      // Not started before the first call: idle threads would double the memory of the service.
      if (!writer.isReady()) writer.start()
      readers.start()
      if (call.lane === 'short') return execute(runtime, call)
      const owner = ownerOf(call)
      const queue = call.lane === 'write' ? writes : readers.queue
      if (queue.isFull(owner.workspace)) refuseBusy(shed, call.lane)
      const task: Task = { call }
      const reply =
        call.lane === 'write'
          ? await writes.run(owner, () => writer.send(task))
          : await readers.send(owner, task, isDisconnected)
      return reply === undefined ? DISCONNECTED : answerIn(reply)
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
  throw new Error('A thread replied to a call with something else.')
}

async function runIn(writer: Thread, sql: string, parameters: readonly unknown[]) {
  const reply = await writer.send({ statement: { sql, parameters } })
  if ('outcome' in reply) return reply.outcome
  if ('busy' in reply) throw new DatabaseBusy()
  if ('trouble' in reply) throw new StorageTrouble(reply.trouble.kind, reply.trouble.message)
  throw 'error' in reply ? reply.error : new Error('A thread replied to a statement with something else.')
}
