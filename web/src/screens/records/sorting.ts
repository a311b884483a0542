type SortDirection = 'ascending' | 'descending'

/** How a list is sorted by a name, in the words of the API: `-created_at,name`. */
export function directionOf(sort: string | undefined, name: string): SortDirection | undefined {
  const key = keysOf(sort).find((candidate) => nameIn(candidate) === name)
  return key === undefined ? undefined : key.startsWith('-') ? 'descending' : 'ascending'
}

/** A header was clicked: ascending, then descending, then not at all. With `keep` the other keys stay before it. */
export function nextSort(sort: string | undefined, name: string, keep: boolean): string | undefined {
  const direction = directionOf(sort, name)
  const next = direction === undefined ? name : direction === 'ascending' ? `-${name}` : undefined
  return withKey(keep ? sort : undefined, name, next)
}

/** Sorted by this name alone. */
export function sortBy(name: string, direction: SortDirection): string {
  return direction === 'descending' ? `-${name}` : name
}

function withKey(sort: string | undefined, name: string, key: string | undefined): string | undefined {
  const keys = keysOf(sort)
  const place = keys.findIndex((candidate) => nameIn(candidate) === name)
  const others = keys.filter((_, index) => index !== place)
  const next = key === undefined ? others : place === -1 ? [...keys, key] : keys.with(place, key)
  return next.length === 0 ? undefined : next.join(',')
}

function keysOf(sort: string | undefined): string[] {
  return (sort ?? '').split(',').filter(Boolean)
}

function nameIn(key: string): string {
  return key.replace(/^-/, '')
}
