import { createStore, useStore } from '../store.ts'
import { isFilled } from './typed.ts'

const ended = createStore(false)

/** Whether the session has ended while the page holds unsaved input, so that it stays open. */
export function useSessionEnded(): boolean {
  return useStore(ended)
}

export function setSessionEnded(next: boolean): void {
  ended.set(next)
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
