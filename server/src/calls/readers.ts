import type { IsGone } from './call.ts'
import { type FairQueue, fairQueue, type Owner } from './fair-queue.ts'
import type { Order, Reply, ThreadSettings } from './thread-messages.ts'
import { newThread, type Thread } from './threads.ts'

/** How often it is seen whether those who wait for an answer are still there. */
const LOOK_MS = 250

/** The threads that read, each with one order at a time, so that nothing short waits behind something long. */
export type Readers = {
  queue: FairQueue
  /** Starts the first of them. */
  start(): void
  /** Undefined when the client has gone before its turn. */
  send(owner: Owner, order: Order, isGone: IsGone | undefined): Promise<Reply | undefined>
  close(): Promise<void>
}

/**
 * One workspace can have so many readers. There is one more than that, so that other workspaces always find one; it is
 * started only when all others are busy.
 */
export function readersWith(settings: ThreadSettings, perWorkspace: number): Readers {
  const readers = Array.from({ length: perWorkspace + 1 }, () => newThread('reader', settings, onReady))
  const queue = fairQueue({ places: () => Math.max(1, readers.filter(isReady).length), share: perWorkspace })
  /** Those whose order is under way for someone who may go. */
  const looking = new Map<Thread, IsGone>()
  let timer: NodeJS.Timeout | undefined

  function onReady(): void {
    queue.goOn()
    startMore()
  }

  /** While all that were started have something to do, another one makes itself ready. */
  function startMore(): void {
    const isTaken = (reader: Thread) => !reader.isStarted() || (reader.isReady() && reader.busy() > 0)
    if (readers.every(isTaken)) readers.find((reader) => !reader.isStarted())?.start()
  }

  function look(): void {
    for (const [reader, isGone] of looking) if (isGone()) reader.abandon()
  }

  async function sendFor(order: Order, isGone: IsGone | undefined): Promise<Reply> {
    const reader = freeAmong(readers)
    if (isGone) looking.set(reader, isGone)
    timer ??= setInterval(look, LOOK_MS).unref()
    try {
      return await reader.send(order)
    } finally {
      looking.delete(reader)
      if (looking.size === 0) {
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
    send(owner, order, isGone) {
      startMore()
      return queue.run(owner, () => sendFor(order, isGone), isGone)
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

/** One of those that are ready, or else one that an order starts. */
function freeAmong(readers: readonly Thread[]): Thread {
  const free = readers.filter((reader) => reader.busy() === 0)
  const reader = free.find(isReady) ?? free[0]
  if (!reader) throw new Error('There are more orders than readers.')
  return reader
}
