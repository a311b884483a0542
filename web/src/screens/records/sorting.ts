import { SORT_KEYS_MAX } from '@kith/contract/limits'

/** One key of an order. In the words of the API, an order is `-created_at,name`. */
export type SortKey = { name: string; descending: boolean }

export function sortKeysIn(sort: string | undefined): SortKey[] {
  const keys = (sort ?? '').split(',').filter(Boolean)
  return keys.map((key) => ({ name: key.replace(/^-/, ''), descending: key.startsWith('-') }))
}

export function sortText(keys: readonly SortKey[]): string | undefined {
  if (keys.length === 0) return undefined
  return keys.map(({ name, descending }) => (descending ? `-${name}` : name)).join(',')
}

/** How a list is sorted by a name, and which of several keys it is. */
export function sortedBy(
  sort: string | undefined,
  name: string,
): (SortKey & { place: number; of: number }) | undefined {
  const keys = sortKeysIn(sort)
  const place = keys.findIndex((key) => key.name === name)
  const key = keys[place]
  return key && { ...key, place: place + 1, of: keys.length }
}

/** A header was clicked: ascending, then descending, then not at all. With `keep` the other keys stay before it. */
export function nextSort(sort: string | undefined, name: string, keep: boolean): string | undefined {
  const keys = sortKeysIn(sort)
  const known = keys.find((key) => key.name === name)
  const next = known?.descending ? [] : [{ name, descending: known !== undefined }]
  if (!keep) return sortText(next)
  if (!known) return sortText([...keys, ...next].slice(0, SORT_KEYS_MAX))
  return sortText(keys.flatMap((key) => (key === known ? next : [key])))
}

/** Sorted by this name alone. */
export function sortBy(name: string, descending: boolean): string | undefined {
  return sortText([{ name, descending }])
}
