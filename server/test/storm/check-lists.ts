import { type Call, dataOf, type History, includedBy, isDone, type Shown, told } from './history.ts'
import { domainsOf, type ListQuery, listQueries, relatedTo } from './list-queries.ts'
import type { Storm } from './storm-world.ts'

/** The rows, the total, the counts and the included records of one answer agree with each other: they come from one snapshot. */
export function checkLists(storm: Storm): string[] {
  const queries = new Map(listQueries(storm).map((query) => [query.name, query]))
  return storm.history.calls.flatMap((call) => {
    const query = call.deed.kind === 'list' ? queries.get(call.deed.query) : undefined
    const problems = isDone(call)
      ? [...(query ? listProblems(call, query) : []), ...dataOf(call).flatMap((row) => relationProblems(call, row))]
      : []
    return [...problems, ...sharedIn(call)].map((problem) => `${problem} In ${told(call)}`)
  })
}

function listProblems(call: Call, { name, matches, asks }: ListQuery): string[] {
  const included = new Map(includedBy(call).map((record) => [record.id, record]))
  const rows = dataOf(call)
  const wrong = rows.filter((row) => matches && !matches(row, included))
  const times = rows.map((row) => row.attributes.updated_at)
  const isOrdered =
    asks.sort !== '-updated_at' || times.every((time, index) => index === 0 || time <= (times[index - 1] ?? ''))
  return [
    ...wrong.map((row) => `A row of "${name}" does not match: ${JSON.stringify(row)}.`),
    ...(isOrdered ? [] : [`The rows of "${name}" are not in order.`]),
    ...(new Set(rows.map((row) => row.id)).size === rows.length ? [] : [`A record is listed twice in "${name}".`]),
    ...totalProblems(call, rows.length),
  ]
}

function totalProblems({ deed, answer }: Call, count: number): string[] {
  if (deed.kind !== 'list') return []
  const { total, from, to } = answer.body.meta
  const before = (deed.page - 1) * deed.per_page
  const expected = Math.max(0, Math.min(deed.per_page, total - before))
  if (count !== expected) return [`The total is ${total}, and page ${deed.page} of ${deed.per_page} has ${count} rows.`]
  const numbers = count === 0 ? [null, null] : [before + 1, before + count]
  return from === numbers[0] && to === numbers[1] ? [] : [`The page says that it has the rows ${from} to ${to}.`]
}

/** What a relationship names is what the attribute names, and comes along. */
function relationProblems(call: Call, row: Shown): string[] {
  const included = new Map(includedBy(call).map((record) => [record.id, record]))
  const names = Object.keys(row.relationships ?? {})
  const missing = names.flatMap((name) => relatedTo(row, name).filter((id) => !included.has(id)))
  const problems = missing.map((id) => `${id} is related to ${row.id} and not included.`)
  if (names.includes('company')) {
    const [related = null] = relatedTo(row, 'company')
    if (related !== row.attributes.company_id)
      problems.push(`The company of ${row.id} is ${related}, and its company_id is ${row.attributes.company_id}.`)
  }
  for (const id of names.includes('people') ? relatedTo(row, 'people') : []) {
    const named = included.get(id)?.attributes.company_id
    if (named !== row.id) problems.push(`${id} is among the people of ${row.id}, and its company_id is ${named}.`)
  }
  return problems
}

/** A unique value is held once in every snapshot. */
function sharedIn(call: Call): string[] {
  const rows = isDone(call) && call.deed.kind === 'list' ? dataOf(call) : []
  const held = rows.filter(({ type }) => type === 'companies').flatMap(({ attributes }) => domainsOf(attributes))
  return held
    .filter((domain, index) => held.indexOf(domain) < index)
    .map((domain) => `Two companies of one list hold the unique domain ${domain}.`)
}

export function checkStatuses({ calls }: History): string[] {
  const expected = new Set([200, 201, 204, 401, 403, 404, 409, 422])
  return calls.filter(({ answer }) => !expected.has(answer.status)).map((call) => `${told(call)} ${call.answer.text}`)
}
