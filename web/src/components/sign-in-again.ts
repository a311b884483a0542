import { useSyncExternalStore } from 'react'
import { isFilled } from './typed.ts'

let ended = false
const listeners = new Set<() => void>()

/** Whether the session has ended while the page holds what the user has typed or chosen, so that it stays open. */
export function useSessionEnded(): boolean {
  return useSyncExternalStore(onChange, () => ended)
}

export function setSessionEnded(next: boolean): void {
  if (ended === next) return
  ended = next
  for (const listener of listeners) listener()
}

/** Leads to sign-in, and back to the page that is open. If a form would be lost with the page, in another tab. */
export function signInAgain(): void {
  if (isFilled()) window.open(signInPath(), '_blank')
  else window.location.assign(signInPath())
}

export function signInPath(): string {
  const { pathname, search } = window.location
  return `/sign-in?${new URLSearchParams({ next: pathname + search })}`
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
