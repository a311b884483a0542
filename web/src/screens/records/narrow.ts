import { useSyncExternalStore } from 'react'

const narrow = window.matchMedia('(max-width: 639px)')

/** Whether there is no room for a table. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(listen, isNarrow)
}

export function isNarrow(): boolean {
  return narrow.matches
}

function listen(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
