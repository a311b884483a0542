import { type Call, dataOf, type History, isDone, told } from './history.ts'
import { domainsOf, externalIdsOf } from './list-queries.ts'

/** Unique values are unique in every list that is shown, at every moment. */
export function checkUnique(history: History): string[] {
  const lists = history.calls.filter(
    (call) => call.deed.kind === 'list' && call.deed.type === 'companies' && isDone(call),
  )
  return lists.flatMap((call) => {
    const rows = dataOf(call)
    const domains = repeated(rows.flatMap(({ attributes }) => domainsOf(attributes)))
    const serials = repeated(rows.flatMap(({ attributes }) => attributes.custom_fields.serial ?? []))
    const ids = repeated(rows.flatMap(({ attributes }) => externalIdsOf(attributes)))
    const wrong = [...domains, ...ids, ...(isUniqueDuring(history, call) ? serials : [])]
    return wrong.map((value) => `Two companies hold the unique value ${value} in ${told(call)}`)
  })
}

function repeated(values: readonly unknown[]): unknown[] {
  return values.filter((value, index) => values.indexOf(value) < index)
}

/**
 * Whether the serial number is unique while a call runs: it was made unique before, when no two records shared a value,
 * and no call has changed that since.
 */
function isUniqueDuring({ calls }: History, call: Call): boolean {
  const changes = calls.filter(({ deed, start }) => deed.kind === 'unique' && start < call.end)
  const made = changes.filter((one) => isUnique(one) && one.end < call.start && one.answer.body.meta.duplicates === 0)
  return made.some((one) => changes.every((other) => isUnique(other) || other.end < one.start))
}

function isUnique({ deed, answer }: Call): boolean {
  return deed.kind === 'unique' && answer.body?.data?.attributes.unique === true
}
