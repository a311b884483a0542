import { type Call, isDone, told } from './history.ts'
import type { RandomRun } from './world.ts'

/** A write by the second member is allowed or refused by a role that they had while it ran. */
export function checkAccess({ history, workerToken }: RandomRun): string[] {
  const changes = history.calls.filter((call) => call.deed.kind === 'role' && isDone(call))
  return history.calls
    .filter(({ asked }) => asked.token === workerToken)
    .flatMap((call) => {
      const roles = rolesDuring(changes, call)
      const role = call.answer.status === 403 ? 'viewer' : 'member'
      return roles.has(role) ? [] : [`Only the role ${[...roles]} was possible during ${told(call)}`]
    })
}

/** The roles of all changes that can be the last one at some moment of the call. */
function rolesDuring(changes: readonly Call[], call: Call): Set<string> {
  const isOver = (end: number) => changes.some((later) => later.start > end && later.end < call.start)
  const roles = changes.filter((change) => change.start < call.end && !isOver(change.end))
  const named = roles.map(({ deed }) => (deed.kind === 'role' ? deed.role : ''))
  return new Set(isOver(Number.NEGATIVE_INFINITY) ? named : ['member', ...named])
}
