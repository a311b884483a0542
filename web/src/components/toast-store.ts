type ToastMessage = {
  message: string
  tone?: 'plain' | 'danger'
  /** Takes back what was just done. */
  undo?: () => Promise<void> | void
}

export type ShownToast = ToastMessage & { key: number }

type Listener = () => void

let shown: readonly ShownToast[] = []
let lastKey = 0
const listeners = new Set<Listener>()

/** Says something at the edge of the page for a while. */
export function showToast(message: ToastMessage): void {
  lastKey++
  change([...shown.slice(-2), { ...message, key: lastKey }])
}

export function closeToast(key: number): void {
  change(shown.filter((toast) => toast.key !== key))
}

export function currentToasts(): readonly ShownToast[] {
  return shown
}

export function onToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: readonly ShownToast[]): void {
  shown = next
  for (const listener of listeners) listener()
}
