import { isDeepStrictEqual } from 'node:util'
import { type Call, dataOf, type History, includedBy, isDone, type Shown, told } from './history.ts'
import { type ListQuery, listQueries, relatedTo } from './list-queries.ts'
import type { RandomRun } from './world.ts'

/** Every row of a list matches the filter, once, and is in the requested order. */
export function checkRows(run: RandomRun): string[] {
  return inLists(run, (call, { name, matches, asks }) => {
    const rows = dataOf(call)
    const wrong = rows.filter((row) => matches && !matches(row))
    const times = rows.map((row) => row.attributes.updated_at)
    const isOrdered = asks.sort !== '-updated_at' || isDeepStrictEqual(times, times.toSorted().reverse())
    return [
      ...wrong.map((row) => `A row of "${name}" does not match: ${JSON.stringify(row)}.`),
      ...(isOrdered ? [] : [`The rows of "${name}" are not in order.`]),
      ...(new Set(rows.map((row) => row.id)).size === rows.length ? [] : [`A record is listed twice in "${name}".`]),
    ]
  })
}

export function checkTotals(run: RandomRun): string[] {
  return inLists(run, totalProblems)
}

/** Relationships, counts and included records agree with the rows, in lists and in answers of one record. */
export function checkRelations(run: RandomRun): string[] {
  const related = run.history.calls.filter(isDone).flatMap((call) => {
    return dataOf(call)
      .flatMap((row) => relationProblems(call, row))
      .map((problem) => `${problem} In ${told(call)}`)
  })
  const lists = inLists(run, (call, { name, agrees }) => {
    const included = new Map(includedBy(call).map((record) => [record.id, record]))
    const wrong = dataOf(call).filter((row) => agrees && !agrees(row, included))
    return wrong.map((row) => `A row of "${name}" does not agree with what comes along: ${JSON.stringify(row)}.`)
  })
  return [...related, ...lists]
}

function inLists(run: RandomRun, check: (call: Call, query: ListQuery) => string[]): string[] {
  const queries = new Map(listQueries(run).map((query) => [query.name, query]))
  return run.history.calls.filter(isDone).flatMap((call) => {
    const query = call.deed.kind === 'list' ? queries.get(call.deed.query) : undefined
    return query ? check(call, query).map((problem) => `${problem} In ${told(call)}`) : []
  })
}

function totalProblems(call: Call): string[] {
  const { deed, answer } = call
  if (deed.kind !== 'list') return []
  const count = dataOf(call).length
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

export function checkStatuses({ calls }: History): string[] {
  const expected = new Set([200, 201, 204, 401, 403, 404, 409, 412, 422])
  return calls.filter(({ answer }) => !expected.has(answer.status)).map((call) => `${told(call)} ${call.answer.text}`)
}
