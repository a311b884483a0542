import { useEffect, useSyncExternalStore } from 'react'

/** The keys of drafts that a component on the screen shows, with how many of them. */
const shown = new Map<string, number>()
const listeners = new Set<() => void>()
let keys: ReadonlySet<string> = new Set()

/** The drafts that are on the screen. The others are listed above the page. */
export function useShownDrafts(): ReadonlySet<string> {
  return useSyncExternalStore(onChange, () => keys)
}

/** Says that a component shows a draft; undefined if there is none. */
export function useShowsDraft(key: string | undefined): void {
  useEffect(() => {
    if (key === undefined) return
    count(key, 1)
    return () => count(key, -1)
  }, [key])
}

function count(key: string, by: 1 | -1): void {
  const next = (shown.get(key) ?? 0) + by
  if (next === 0) shown.delete(key)
  else shown.set(key, next)
  keys = new Set(shown.keys())
  for (const listener of listeners) listener()
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
