import type { Runtime } from '../scope/scope.ts'
import { type Knowledge, loadKnowledge } from '../storage/tables/counts.ts'
import type { Answer } from './answer.ts'
import type { Call, Execute } from './call.ts'
import { openInlineLanes } from './inline-lanes.ts'
import type { Lanes } from './lanes.ts'

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
      return covers(there, here)
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

/** Versions only grow, and a replica repeats the writes of its primary in order. */
function covers(there: Knowledge, here: Knowledge): boolean {
  return there.records >= here.records && there.fields >= here.fields
}
