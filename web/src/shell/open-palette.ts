const listeners = new Set<() => void>()

/** Opens the search from any screen. */
export function openPalette(): void {
  for (const listener of listeners) listener()
}

/** Calls the listener when the palette should open. */
export function onOpenPalette(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
