type Listener = () => void

const listeners = new Set<Listener>()

/** Opens the search from any screen. */
export function openPalette(): void {
  for (const listener of listeners) listener()
}

/** Calls the listener when the palette should open. */
export function onOpenPalette(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
