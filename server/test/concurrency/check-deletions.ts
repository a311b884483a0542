import { sightsOf } from './check-registers.ts'
import { type Call, dataOf, isDone, told } from './history.ts'
import { listQueries } from './list-queries.ts'
import { changesTo, recordOf, removes } from './record-history.ts'
import type { RandomRun } from './world.ts'

/**
 * Deletions are part of a record's history. A call that finds a record deleted must fit between two of its versions: no
 * call that shows an earlier version starts after it, no call that shows a later version ends before it, and a call
 * that deletes the record fits at the same place.
 */
export function checkDeletions(run: RandomRun): string[] {
  const sights = sightsOf(run.history)
  return [...absencesOf(run)].flatMap(([id, absent]) => {
    const versions = periodsOf(sights.get(id) ?? [])
    const removals = run.history.calls.filter((call) => isDone(call) && removes(call, id))
    const fits = (call: Call, place: number) =>
      versions.every(({ lastStart, firstEnd }, index) =>
        index <= place ? lastStart <= call.end : firstEnd >= call.start,
      )
    const isPossible = (call: Call) =>
      versions.some(
        (_, place) => fits(call, place) && removals.some((one) => one.start <= call.end && fits(one, place)),
      )
    return absent
      .filter((call) => !isPossible(call))
      .map((call) =>
        [`Record ${id} is not there in ${told(call)}`, ...changesTo(run.history, id).map(told)].join('\n  '),
      )
  })
}

/** When the calls that show each version start and end, by version. */
function periodsOf(sights: readonly { version: string; call: Call }[]) {
  const versions = [...Map.groupBy(sights, ({ version }) => version)].sort(([one], [other]) => (one < other ? -1 : 1))
  return versions.map(([, same]) => ({
    lastStart: Math.max(...same.map(({ call }) => call.start)),
    firstEnd: Math.min(...same.map(({ call }) => call.end)),
  }))
}

/** The calls that tell of a record that it is not there, or that took it away. */
function absencesOf(run: RandomRun): Map<string, Call[]> {
  const absences = new Map<string, Call[]>()
  const put = (id: string, call: Call) => absences.set(id, [...(absences.get(id) ?? []), call])
  const whole = new Set(listQueries(run).flatMap(({ name, whole }) => (whole ? [name] : [])))
  const made = run.history.calls.filter((call) => isDone(call) && call.answer.status === 201)
  for (const call of run.history.calls) {
    const { deed, answer } = call
    const id = recordOf(call)
    if (answer.status === 404 && id !== undefined && 'id' in deed && deed.kind !== 'restore') put(id, call)
    if (isDone(call) && deed.kind === 'delete') put(deed.id, call)
    if (isDone(call) && deed.kind === 'merge') put(deed.loser, call)
    if (deed.kind !== 'list' || !isDone(call) || !whole.has(deed.query)) continue
    if (deed.page > 1 || deed.per_page < answer.body.meta.total) continue
    const listed = new Set(dataOf(call).map((row) => row.id))
    for (const { deed: own, end, answer } of made) {
      if (end >= call.start || !('type' in own) || own.type !== deed.type) continue
      if (!listed.has(answer.body.data.id)) put(answer.body.data.id, call)
    }
  }
  return absences
}
