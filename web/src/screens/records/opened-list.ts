import type { ResourceName } from '@kith/contract/resource'
import type { ListQuery } from './list-query.ts'
import { type ListState, parseListState } from './list-state.ts'

/** The list from which a record was opened, and the row of the record in it. */
export type ListOrigin = {
  resource: ResourceName
  state: ListState
  query: ListQuery
  /** What the list is grouped by. */
  by?: string | undefined
  row: number
}

/** Kept for each tab, so that a reload does not lose the way back. */
export function noteOpenedList(slug: string, list: ListOrigin): void {
  sessionStorage.setItem(placeOf(slug), JSON.stringify(list))
}

export function openedList(slug: string, resource: ResourceName): ListOrigin | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(placeOf(slug)) ?? 'null')
    if (kept?.resource !== resource || typeof kept.row !== 'number' || typeof kept.query !== 'object') return undefined
    return { ...kept, state: parseListState(kept.state ?? {}) }
  } catch {
    return undefined
  }
}

function placeOf(slug: string): string {
  return `kith.opened-list.${slug}`
}
