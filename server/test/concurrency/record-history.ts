import { type Call, dataOf, type History, isDone } from './history.ts'

/** The call that wrote each label. */
export function tokensOf({ calls }: History): Map<string, Call> {
  return new Map(calls.flatMap((call) => ('token' in call.deed ? [[call.deed.token, call] as const] : [])))
}

/** The id of the record that a call of a single record is about. */
export function recordOf(call: Call): string | undefined {
  const { deed } = call
  if ('id' in deed) return deed.id
  if ('winner' in deed) return deed.winner
  return 'token' in deed && isDone(call) ? dataOf(call)[0]?.id : undefined
}

/** The acknowledged calls that may have changed a record by themselves. */
export function changesTo({ calls }: History, id: string): Call[] {
  // To restore what was merged into a record undoes the merge.
  const losers = new Set(calls.flatMap(({ deed }) => (deed.kind === 'merge' && deed.winner === id ? [deed.loser] : [])))
  const isChange = (call: Call) =>
    recordOf(call) === id || loserOf(call) === id || (call.deed.kind === 'restore' && losers.has(call.deed.id))
  return calls
    .filter((call) => isDone(call) && call.deed.kind !== 'read' && isChange(call))
    .sort((one, other) => one.start - other.start)
}

function loserOf({ deed }: Call): string | undefined {
  return 'loser' in deed ? deed.loser : undefined
}

/** Whether a call takes this record away. */
export function removes({ deed }: Call, id: string): boolean {
  const isDeletion = deed.kind === 'delete' || (deed.kind === 'undo change' && deed.does === 'delete')
  return (isDeletion && deed.id === id) || (deed.kind === 'merge' && deed.loser === id)
}
