import type { Engine } from '../storage/engines/engine.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { fairQueue } from './fair-queue.ts'
import { DISCONNECTED, type Lanes, ownerOf, refuseBusy } from './lanes.ts'

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
