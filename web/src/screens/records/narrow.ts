import { useSyncExternalStore } from 'react'

const narrow = window.matchMedia('(max-width: 639px)')

/** Whether there is no room for a table. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(listen, isNarrow)
}

const oneColumn = window.matchMedia('(max-width: 1023px)')

/** Whether there is no room for a second column next to a text. */
export function useHasOneColumn(): boolean {
  return useSyncExternalStore(listenToColumns, () => oneColumn.matches)
}

function listenToColumns(listener: () => void): () => void {
  oneColumn.addEventListener('change', listener)
  return () => oneColumn.removeEventListener('change', listener)
}

export function isNarrow(): boolean {
  return narrow.matches
}

function listen(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
