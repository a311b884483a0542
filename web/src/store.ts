import { useSyncExternalStore } from 'react'

/** A value that lives outside React, such as the toasts. */
type Store<Value> = {
  get(): Value
  set(next: Value): void
  /** Calls back after every change, until the returned function is called. */
  listen(listener: () => void): () => void
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The value of a store. The component renders again when it changes. */
export function useStore<Value>({ listen, get }: Store<Value>): Value {
  return useSyncExternalStore(listen, get)
}
