import { Refusal } from '@kith/contract/refusal'
import type { Scope } from '../scope/scope.ts'
import { OutOfTime } from '../scope/time-limit.ts'
import { type Costly, type Expense, expensesOf } from '../storage/query/query-cost.ts'

const NAMED_MAX = 3

/** Runs the work. If it takes too long, the refusal says which part of the query is expensive and what to change. */
export function explainingSlow<T>(scope: Scope, query: Costly, work: () => Promise<T>): Promise<T> {
  return refusingSlow(work, (seconds) => slowQuery(seconds, query, expensesOf(scope, query)))
}

/** The same for a search, which has one part under this name. */
export function explainingSlowSearch<T>(name: string, work: () => Promise<T>): Promise<T> {
  return refusingSlow(work, (seconds) => {
    const message = `The search took longer than ${seconds} s and was stopped. Search for a longer text.`
    return new Refusal({ kind: 'too_slow', message, expensive: [name] })
  })
}

async function refusingSlow<T>(work: () => Promise<T>, refusalAfter: (seconds: number) => Refusal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OutOfTime ? refusalAfter(error.seconds) : error
  }
}

function slowQuery(seconds: number, { resource }: Costly, expenses: readonly Expense[]): Refusal {
  const named = expenses.filter(({ kind }) => kind !== 'total').slice(0, NAMED_MAX)
  const total = expenses.some(({ kind }) => kind === 'total')
  const message = [
    `The query took longer than ${seconds} s and was stopped.`,
    named.length === 0
      ? `It reads all ${resource.type}.`
      : `The most expensive part: ${named.map(described).join(', ')}.`,
    ...(named.some(isProbe) ? [`No index can answer conditions like these, so all ${resource.type} are checked.`] : []),
    ...(total ? ['All matches are counted for the exact total.'] : []),
    `What to change: ${changes(named, total).join('; ')}.`,
  ].join(' ')
  return new Refusal({ kind: 'too_slow', message, expensive: expenses.map(({ path }) => path) })
}

function described({ path, times }: Expense): string {
  return times > 1 ? `${path} (${times} conditions)` : path
}

function isProbe({ kind }: Expense): boolean {
  return kind === 'probe'
}

/** What to change, by what is expensive. */
function changes(named: readonly Expense[], total: boolean): string[] {
  const some = (isSo: (expense: Expense) => boolean, change: string) => (named.some(isSo) ? [change] : [])
  return [
    ...some(
      ({ kind, path }) => kind === 'probe' && path.includes('$not') && path.endsWith('$contains'),
      'use fewer $contains conditions under $not',
    ),
    ...some(({ kind }) => kind === 'probe', 'add a condition that an index can answer, such as $eq or $in on a field'),
    ...some(({ kind }) => kind === 'indexed', 'add a condition that fewer records meet'),
    ...some(({ kind }) => kind === 'sort', 'sort by one custom field only, or by created_at'),
    ...(total ? ['page with cursor=true, which needs no total'] : []),
    ...(named.length === 0 ? ['filter for fewer records'] : []),
  ]
}
