import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { FilterObject } from './list-state.ts'

/** The quick search of a list as a filter, so that "Use in API" can say it: names that hold the text, in any letter case. */
export function searchFilter(resource: ResourceName, typed: string | undefined): FilterObject | undefined {
  const text = typed?.trim() ?? ''
  return text === '' ? undefined : { [registry[resource].label]: { $contains: text } }
}
