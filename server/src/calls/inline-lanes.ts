import { refuseBusy } from '../runtime/load-shedding.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { carryOut } from './carry-out.ts'
import { fairQueue } from './fair-queue.ts'
import { GONE, type Lanes } from './lanes.ts'
import { ownerOf } from './owner-of.ts'

/** What one workspace may take of the connections with its lists. A list takes one. */
const SHARE = 0.4

/**
 * PostgreSQL is a server of its own: waiting for it blocks no thread, so calls run where they came in. Lists of one workspace
 * never take all connections, so that others find one.
 */
export function openInlineLanes(
  runtime: Runtime,
  connections: number,
  carry: (call: Call) => Promise<Answer> = (call) => carryOut(runtime, call),
): Lanes {
  const shed = new Map<string, number>()
  const share = Math.max(1, Math.floor(connections * SHARE))
  const reads = fairQueue({ places: () => Number.POSITIVE_INFINITY, share })
  return {
    start() {},
    queues: () => [],
    shed,
    async perform(call, isGone) {
      if (call.lane !== 'read') return carry(call)
      const owner = ownerOf(call)
      if (reads.isFull(owner.workspace)) refuseBusy(shed, call.lane)
      return (await reads.run(owner, () => carry(call), isGone)) ?? GONE
    },
    close: () => runtime.engine.close(),
  }
}
