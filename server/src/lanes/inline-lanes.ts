import type { Call } from '../call.ts'
import type { House } from '../scope.ts'
import { carryOut } from './carry-out.ts'
import { fairTurns } from './fair-turns.ts'
import type { Lanes } from './lanes.ts'

/** What one workspace may take of the connections with its lists; a list may take two at a time. */
const SHARE = 0.4

/**
 * PostgreSQL is a server of its own: waiting for it holds up nobody, so calls run where they came in. Lists of one workspace never take
 * all connections, so that others find one.
 */
export function openInlineLanes(house: House, connections: number): Lanes {
  const inTurn = fairTurns(Math.max(1, Math.floor(connections * SHARE)))
  return {
    start() {},
    queues: () => [],
    shed: new Map(),
    perform(call) {
      const workspaceId = workspaceOf(call)
      return workspaceId === undefined || call.lane !== 'read'
        ? carryOut(house, call)
        : inTurn(workspaceId, () => carryOut(house, call))
    },
    close: () => house.engine.close(),
  }
}

function workspaceOf(call: Call): string | undefined {
  return 'facts' in call ? call.facts.workspace.id : undefined
}
