import { SEARCH } from '@kith/contract/filter'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { parseSearch } from '@kith/contract/search-query'
import type { FilterObject } from './list-state.ts'

/** The search of a list as a filter, so that "Use in API" can show it. Texts that have no words are parts of a name. */
export function searchFilter(resource: ResourceName, typed: string | undefined): FilterObject | undefined {
  const text = typed?.trim() ?? ''
  if (text === '') return undefined
  const ways = parseSearch(text, { name: '', path: '', report: () => {} })
  return ways && ways.length > 0 ? { [SEARCH]: text } : { [registry[resource].label]: { $contains: text } }
}
