import type { Runtime } from '../scope/scope.ts'
import { type Knowledge, loadKnowledge } from '../storage/tables/counts.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { carryOut } from './carry-out.ts'
import { openInlineLanes } from './inline-lanes.ts'
import type { Lanes } from './lanes.ts'

/** So long a replica that failed is left alone. */
const REST_MS = 5000

/**
 * Lists are found on the replica as soon as it knows all that the primary knows of their workspace. So nobody reads less than was written
 * before, through whichever node, however far the replica is behind with other workspaces. A record by its id costs the primary no more
 * than that question, and stays there.
 */
export function openReplicaLanes(primary: Runtime, replica: Runtime, connections: number): Lanes {
  let restsUntil = 0

  async function knowsAll(workspaceId: string): Promise<boolean> {
    if (Date.now() < restsUntil) return false
    try {
      const [there, here] = await Promise.all([
        loadKnowledge(replica.engine.db, workspaceId),
        loadKnowledge(primary.engine.db, workspaceId),
      ])
      return covers(there, here)
    } catch {
      restsUntil = Date.now() + REST_MS
      return false
    }
  }

  async function carry(call: Call): Promise<Answer> {
    const workspaceId = call.replica && 'facts' in call ? call.facts.workspace.id : undefined
    if (workspaceId === undefined || !(await knowsAll(workspaceId))) return carryOut(primary, call)
    const answer = await carryOut(replica, call)
    // A replica may break off a query to keep up with its primary. A read can be repeated, unless it is too slow for either.
    return answer.status < 500 || answer.out_of_time ? answer : carryOut(primary, call)
  }

  const inline = openInlineLanes(primary, connections, carry)
  return {
    ...inline,
    async close() {
      await Promise.all([inline.close(), replica.engine.close()])
    },
  }
}

/** Versions only grow, and a replica repeats the writes of its primary in their order. */
function covers(there: Knowledge, here: Knowledge): boolean {
  return there.records >= here.records && there.fields >= here.fields
}
