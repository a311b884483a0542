import { SEARCH } from '../filter.ts'
import type { Resource } from '../resource.ts'
import { parseSearch } from '../search-query.ts'

/** The search of a list as a filter, so that "Use in API" can show it. Texts that have no words are parts of a name. */
export function searchFilter(
  resource: Resource,
  typed: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const text = typed?.trim() ?? ''
  if (text === '') return undefined
  const ways = parseSearch(text, { name: '', path: '', report: () => {} })
  return ways && ways.length > 0 ? { [SEARCH]: text } : { [resource.label]: { $contains: text } }
}
