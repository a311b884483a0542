import { sightsOf } from './check-registers.ts'
import { type Call, dataOf, type History, isDone, told } from './history.ts'
import { recordOf } from './record-history.ts'

/**
 * A write with If-Match takes effect on the version that it names and on no other. If it did, no call has shown a later
 * version before it started, and there is no version between the one that it names and its own. If it was refused, the
 * record had another version.
 */
export function checkConditions(history: History): string[] {
  const sights = sightsOf(history)
  return history.calls.flatMap((call) => {
    const id = recordOf(call)
    const expected = expectedBy(call)
    if (id === undefined || expected === undefined) return []
    if (call.answer.status === 412) return refusalProblems(call, expected)
    // To merge a loser again is done before the condition is compared.
    if (!isDone(call) || isRepeatedMerge(history, call)) return []
    const own = dataOf(call)[0]?.attributes.updated_at
    const between = (sights.get(id) ?? []).filter(({ version, call: other }) => {
      const isLater = expected.every((time) => version > time)
      return isLater && (other.end < call.start || (own !== undefined && version < own))
    })
    return between
      .slice(0, 1)
      .map((sight) => `${told(call)} expects ${expected}, and ${told(sight.call)} shows ${sight.version}`)
  })
}

/** The times that a call expects; undefined if it takes every version. */
function expectedBy({ asked }: Call): string[] | undefined {
  const header = asked.headers?.['If-Match']
  if (header === undefined || header === '*') return undefined
  return [...header.matchAll(/"([^"~]*)/g)].flatMap(([, time]) => time || [])
}

function refusalProblems(call: Call, expected: readonly string[]): string[] {
  const { updated_at } = call.answer.body
  return expected.includes(updated_at)
    ? [`${told(call)} is refused for the version ${updated_at}, which it names.`]
    : []
}

function isRepeatedMerge({ calls }: History, { deed, answer, number }: Call): boolean {
  if (deed.kind !== 'merge') return false
  return calls.some(
    (one) =>
      one.number !== number &&
      one.deed.kind === 'merge' &&
      isDone(one) &&
      one.answer.body.meta.merge_id === answer.body.meta.merge_id,
  )
}
