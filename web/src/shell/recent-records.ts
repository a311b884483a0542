import { type ResourceName, resourceNames } from '@kith/contract/resource'

export type Visited = { resource: ResourceName; id: string; name: string }

const KEPT = 8

/** The records whose pages were opened last in a workspace, on this device. */
export function recentRecords(slug: string): Visited[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(slug)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isVisited) : []
  } catch {
    return []
  }
}

export function noteVisit(slug: string, visited: Visited): void {
  const others = recentRecords(slug).filter(({ id }) => id !== visited.id)
  localStorage.setItem(keyOf(slug), JSON.stringify([visited, ...others].slice(0, KEPT)))
}

function keyOf(slug: string): string {
  return `kith.recent.${slug}`
}

function isVisited(kept: unknown): kept is Visited {
  if (typeof kept !== 'object' || kept === null) return false
  const { resource, id, name } = kept as Partial<Record<keyof Visited, unknown>>
  return resourceNames.some((known) => known === resource) && typeof id === 'string' && typeof name === 'string'
}
