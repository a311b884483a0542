import { Refusal } from '@kith/contract/refusal'
import { type FairQueue, fairQueue, type Owner } from '../limits/fair-queue.ts'
import { LargeRead } from '../scope/large-work.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import { DatabaseBusy, StorageTrouble } from '../storage/engines/storage-trouble.ts'
import { loadKnowledge } from '../storage/tables/records.ts'
import type { Answer } from './answer.ts'
import type { Call, Execute, IsDisconnected } from './call.ts'
import { newThread, type Reply, type Task, type Thread, type ThreadSettings } from './thread.ts'

/** Executes calls so that a long one does not delay others. */
export type Lanes = {
  /** A read whose client disconnects before its turn is not executed. */
  execute(call: Call, isDisconnected?: IsDisconnected): Promise<Answer>
  /** How many calls each lane has, waiting or running. */
  queues(): { lane: string; waiting: number }[]
  /** How many calls were refused because too many were waiting, by reason. */
  shed: Map<string, number>
  close(): Promise<void>
}

/** The client is gone: only the access log sees this answer. */
export const DISCONNECTED: Answer = { status: 499, body: null }

/** The owner of a call. Outside of any workspace it is the user; all callers without a session are one owner. */
function ownerOf(call: Call): Owner {
  if (!('facts' in call)) {
    const user = call.holder?.user_id ?? ''
    return { workspace: `user ${user}`, user, actor: `user ${user}` }
  }
  const { id } = call.facts.workspace
  const { user_id: user, token_id } = call.facts.actor
  const actor = `${id} ${token_id ?? user}`
  return { workspace: id, user, actor: call.large ? `${actor} large` : actor, slow: call.large }
}

/** A short read whose rows turn out to be large runs again in the lane of other reads, where it counts as slow. */
function movingLarge(execute: Lanes['execute']): Lanes['execute'] {
  return async (call, isDisconnected) => {
    try {
      return await execute(call, isDisconnected)
    } catch (error) {
      if (!(error instanceof LargeRead)) throw error
      return execute({ ...call, lane: 'read', large: true }, isDisconnected)
    }
  }
}

function isLarge(outcome: unknown): boolean {
  // The outcome of a read is an answer, or the reply of a thread that contains one.
  const { answer, bytes } = outcome as Partial<Answer> & { answer?: Answer }
  return (answer ? answer.bytes : bytes) !== undefined
}

/** Nothing was executed, so the request may be repeated. */
export function refuseBusy(shed: Map<string, number>, reason: string): never {
  shed.set(reason, (shed.get(reason) ?? 0) + 1)
  throw new Refusal({
    kind: 'busy',
    message: 'The service has too much to do at the moment. Retry shortly.',
    retry_after: 1,
  })
}

/** The share of the connections that the reads of one workspace or one user may use. A read uses one. */
const SHARE = 0.4
/** The share of all reads together, so that writes and short reads find a connection. SLOW_SHARE is for slow reads. */
const READS_SHARE = 0.8
const SLOW_SHARE = 0.6

/**
 * Waiting for a database server blocks no thread, so calls run on the event loop. Reads never use all connections, and
 * reads of one workspace or user use less than half, so that others find one.
 */
export function openInlineLanes(
  { engine, connections }: { engine: Engine; connections: number },
  execute: (call: Call) => Promise<Answer>,
): Lanes {
  const shed = new Map<string, number>()
  const part = (share: number) => Math.max(1, Math.floor(connections * share))
  const [places, share, slowPlaces] = [part(READS_SHARE), part(SHARE), part(SLOW_SHARE)]
  const reads = fairQueue({ places: () => places, share, slowPlaces, isSlow: isLarge })
  return {
    queues: () => [],
    shed,
    execute: movingLarge(async (call, isDisconnected) => {
      if (call.lane !== 'read') return execute(call)
      const owner = ownerOf(call)
      if (reads.isFull(owner.workspace)) refuseBusy(shed, call.lane)
      return (await reads.run(owner, () => execute(call), isDisconnected)) ?? DISCONNECTED
    }),
    close: () => engine.close(),
  }
}

/** How long a replica is not used after it failed. */
const RETRY_AFTER_MS = 5000

/**
 * Runs lists on the replica if it has caught up with the primary in their workspace. So every list contains all earlier
 * writes, on any node, even while the replica lags behind in other workspaces. Reading a record by its id costs the
 * primary no more than this check, so it stays on the primary.
 */
export function openReplicaLanes(
  { primary, replica, connections }: { primary: Runtime; replica: Runtime; connections: number },
  execute: Execute,
): Lanes {
  let unusedUntil = 0

  async function hasCaughtUp(workspaceId: string): Promise<boolean> {
    if (Date.now() < unusedUntil) return false
    try {
      const [there, here] = await Promise.all([
        loadKnowledge(replica.engine.db, workspaceId),
        loadKnowledge(primary.engine.db, workspaceId),
      ])
      // Versions only grow, and a replica repeats the writes of its primary in order.
      return there.records >= here.records && there.fields >= here.fields
    } catch {
      unusedUntil = Date.now() + RETRY_AFTER_MS
      return false
    }
  }

  async function executeAnywhere(call: Call): Promise<Answer> {
    const workspaceId = call.replica && 'facts' in call ? call.facts.workspace.id : undefined
    if (workspaceId === undefined || !(await hasCaughtUp(workspaceId))) return execute(primary, call)
    const answer = await execute(replica, call)
    // A replica may cancel a query to keep up with its primary. The read is repeated, unless it ran out of time.
    return answer.status < 500 || answer.out_of_time ? answer : execute(primary, call)
  }

  const inline = openInlineLanes({ engine: primary.engine, connections }, executeAnywhere)
  return {
    ...inline,
    async close() {
      await Promise.all([inline.close(), replica.engine.close()])
    },
  }
}

/** How many writes of one workspace the writer gets at a time, where they can share one flush. The others wait. */
const WRITES_PER_WORKSPACE = 64

/**
 * SQLite runs synchronously, so each kind of work has its own lane: short reads run on the event loop, other reads in
 * reader threads on all cores, writes in the one writer thread.
 */
export function openThreadedLanes(
  { readersPerWorkspace, ...settings }: ThreadSettings & { readersPerWorkspace: number },
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
    execute: movingLarge(async (call, isDisconnected) => {
      // Not started before the first call: idle threads would double the memory of the service.
      writer.start()
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
    }),
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

/** How often running reads are checked for clients that have disconnected. */
const CHECK_MS = 250

/** The reader threads. Each runs one task at a time, so that no short task waits behind a long one. */
type Readers = {
  queue: FairQueue
  /** Starts the first thread. */
  start(): void
  /** Undefined when the client disconnects before its turn. */
  send(owner: Owner, task: Task, isDisconnected: IsDisconnected | undefined): Promise<Reply | undefined>
  close(): Promise<void>
}

/**
 * One thread more than one workspace or user may use, so that others always find a free one. Slow tasks never use all
 * threads. Threads start when a task waits.
 */
function readersWith(settings: ThreadSettings, perWorkspace: number): Readers {
  const readers = Array.from({ length: perWorkspace + 1 }, () => newThread('reader', settings, onReady))
  const places = () => Math.max(1, readers.filter(isReady).length)
  const queue = fairQueue({ places, share: perWorkspace, isSlow: isLarge })
  /** Threads with a running task whose client may disconnect. */
  const checked = new Map<Thread, IsDisconnected>()
  let timer: NodeJS.Timeout | undefined

  function onReady(): void {
    queue.startWaiting()
    startMore()
  }

  /** Starts another thread while a task waits, even if it waits for the thread that is reserved for others. */
  function startMore(): void {
    const isLoading = readers.some((reader) => reader.isStarted() && !reader.isReady())
    if (!isLoading && queue.hasWaiting()) readers.find((reader) => !reader.isStarted())?.start()
  }

  function cancelDisconnected(): void {
    for (const [reader, isDisconnected] of checked) if (isDisconnected()) reader.cancel()
  }

  async function sendToFree(task: Task, isDisconnected: IsDisconnected | undefined): Promise<Reply> {
    const reader = freeAmong(readers)
    if (isDisconnected) checked.set(reader, isDisconnected)
    timer ??= setInterval(cancelDisconnected, CHECK_MS).unref()
    try {
      return await reader.send(task)
    } finally {
      checked.delete(reader)
      if (checked.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
    }
  }

  return {
    queue,
    start: () => readers[0]?.start(),
    send(owner, task, isDisconnected) {
      const reply = queue.run(owner, () => sendToFree(task, isDisconnected), isDisconnected)
      startMore()
      return reply
    },
    async close() {
      clearInterval(timer)
      await Promise.all(readers.map((reader) => reader.close()))
    },
  }
}

function isReady(reader: Thread): boolean {
  return reader.isReady()
}

/** A free thread that is ready, otherwise one that starts with its task. */
function freeAmong(readers: readonly Thread[]): Thread {
  const free = readers.filter((reader) => reader.busy() === 0)
  const reader = free.find(isReady) ?? free[0]
  if (!reader) throw new Error('There are more tasks than readers.')
  return reader
}
