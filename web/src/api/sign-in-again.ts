import { useSyncExternalStore } from 'react'

let ended = false
const listeners = new Set<() => void>()

/** Whether the session has ended while there are drafts, so that the page stays open. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(onChange, () => ended)
}

export function setSessionEnded(next: boolean): void {
  if (ended === next) return
  ended = next
  for (const listener of listeners) listener()
}

/** Leads to sign-in, and back to the page that is open. */
export function signInAgain(): void {
  const { pathname, search } = window.location
  window.location.assign(`/sign-in?${new URLSearchParams({ next: pathname + search })}`)
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
