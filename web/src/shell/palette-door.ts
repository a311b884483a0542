type Listener = () => void

const listeners = new Set<Listener>()

/** Opens the search over everything, from wherever one is. */
export function openPalette(): void {
  for (const listener of listeners) listener()
}

/** The palette itself waits here to be opened. */
export function onOpenPalette(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
