import type { NamedPlace } from './field-types/operand-text.ts'
import { lengthOf } from './fold.ts'
import { SEARCH_QUERY_MAX, SEARCH_WORDS_MAX } from './limits.ts'
import { unstorable } from './raw-input.ts'
import { type SearchParts, searchParts } from './search-words.ts'

/** Reads a query: the ways in which it can be meant, none without a word. Undefined if a problem was reported. */
export function parseSearch(raw: unknown, { name, path, report }: NamedPlace): SearchParts[] | undefined {
  const ways = typeof raw === 'string' && lengthOf(raw) <= SEARCH_QUERY_MAX ? searchParts(raw) : []
  const problem = problemOf(raw, ways)
  if (problem !== undefined) report(path, `The ${name} ${problem}.`)
  return problem === undefined ? ways : undefined
}

function problemOf(raw: unknown, ways: readonly SearchParts[]): string | undefined {
  if (typeof raw !== 'string') return 'must be a string'
  if (lengthOf(raw) > SEARCH_QUERY_MAX) return `must not be greater than ${SEARCH_QUERY_MAX} characters`
  if (ways.some((parts) => parts.length > SEARCH_WORDS_MAX)) {
    return `must not have more than ${SEARCH_WORDS_MAX} words`
  }
  return unstorable(raw)
}

/** A query that may be the id of a record in another system: one word with a digit. Names are rarely that. */
export function externalIdIn(query: unknown): string | undefined {
  const text = String(query).trim()
  return /\d/.test(text) && !/\s/.test(text) ? text : undefined
}
