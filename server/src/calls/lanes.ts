import { Refusal } from '@kith/contract/refusal'
import type { Runtime } from '../scope/scope.ts'
import { DatabaseBusy, StorageTrouble } from '../scope/storage-trouble.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import { loadKnowledge } from '../storage/tables/counts.ts'
import type { Answer } from './answer.ts'
import type { Call, Execute, IsDisconnected } from './call.ts'
import { type FairQueue, fairQueue, type Owner } from './fair-queue.ts'
import { newThread, type Reply, type Task, type Thread, type ThreadSettings } from './thread.ts'

/** Execute calls so that a long one does not delay others. */
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
    const user = `user ${call.holder?.user_id ?? ''}`
    return { workspace: user, actor: user }
  }
  const { workspace, actor } = call.facts
  return { workspace: workspace.id, actor: `${workspace.id} ${actor.token_id ?? actor.user_id}` }
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

/** The share of the connections that the lists of one workspace may use. A list uses one. */
const SHARE = 0.4

type InlineSettings = { engine: Engine; connections: number }

/**
 * Waiting for a database server blocks no thread, so calls run on the event loop. The lists of one workspace never use
 * all connections, so that other workspaces find one.
 */
export function openInlineLanes(
  { engine, connections }: InlineSettings,
  execute: (call: Call) => Promise<Answer>,
): Lanes {
  const shed = new Map<string, number>()
  const share = Math.max(1, Math.floor(connections * SHARE))
  const reads = fairQueue({ places: () => Number.POSITIVE_INFINITY, share })
  return {
    queues: () => [],
    shed,
    async execute(call, isDisconnected) {
      if (call.lane !== 'read') return execute(call)
      const owner = ownerOf(call)
      if (reads.isFull(owner.workspace)) refuseBusy(shed, call.lane)
      return (await reads.run(owner, () => execute(call), isDisconnected)) ?? DISCONNECTED
    },
    close: () => engine.close(),
  }
}

/** How long a replica is not used after it failed. */
const RETRY_AFTER_MS = 5000

type ReplicaSettings = { primary: Runtime; replica: Runtime; connections: number }

/**
 * Lists run on the replica if it has caught up with the primary in their workspace. So every list contains all earlier
 * writes, on any node, even while the replica lags behind in other workspaces. Reading a record by its id costs
 * the primary no more than this check, so it stays there.
 */
export function openReplicaLanes({ primary, replica, connections }: ReplicaSettings, execute: Execute): Lanes {
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

/** How often running reads are checked for clients that have disconnected. */
const CHECK_MS = 250

/** The reader threads. Each has one task at a time, so that nothing short waits behind something long. */
type Readers = {
  queue: FairQueue
  /** Starts the first thread. */
  start(): void
  /** Undefined when the client disconnects before its turn. */
  send(owner: Owner, task: Task, isDisconnected: IsDisconnected | undefined): Promise<Reply | undefined>
  close(): Promise<void>
}

/**
 * The threads for one workspace plus one, so that other workspaces always find a free one. The last one starts only
 * when all others are busy.
 */
function readersWith(settings: ThreadSettings, perWorkspace: number): Readers {
  const readers = Array.from({ length: perWorkspace + 1 }, () => newThread('reader', settings, onReady))
  const queue = fairQueue({ places: () => Math.max(1, readers.filter(isReady).length), share: perWorkspace })
  /** Threads with a running task whose client may disconnect. */
  const checked = new Map<Thread, IsDisconnected>()
  let timer: NodeJS.Timeout | undefined

  function onReady(): void {
    queue.startWaiting()
    startMore()
  }

  /** Starts another thread while all started ones are busy. */
  function startMore(): void {
    const isTaken = (reader: Thread) => !reader.isStarted() || (reader.isReady() && reader.busy() > 0)
    if (readers.every(isTaken)) readers.find((reader) => !reader.isStarted())?.start()
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
      startMore()
      return queue.run(owner, () => sendToFree(task, isDisconnected), isDisconnected)
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

/** A free thread that is ready, or else one that its task starts. */
function freeAmong(readers: readonly Thread[]): Thread {
  const free = readers.filter((reader) => reader.busy() === 0)
  const reader = free.find(isReady) ?? free[0]
  if (!reader) throw new Error('There are more tasks than readers.')
  return reader
}
