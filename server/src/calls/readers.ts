import type { IsDisconnected } from './call.ts'
import { type FairQueue, fairQueue, type Owner } from './fair-queue.ts'
import { newThread, type Thread } from './thread.ts'
import type { Reply, Task, ThreadSettings } from './thread-messages.ts'

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
export function readersWith(settings: ThreadSettings, perWorkspace: number): Readers {
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
    start() {
      if (!readers[0]?.isStarted()) readers[0]?.start()
    },
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
