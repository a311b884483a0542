type ToastMessage = {
  message: string
  tone?: 'plain' | 'danger'
  /** Takes back what was just done. `later` if it is only on its way, and says so itself once it is done. */
  undo?: () => Promise<void> | 'later' | undefined | void
}

export type ShownToast = ToastMessage & { key: number }

type Listener = () => void

let shown: readonly ShownToast[] = []
let lastKey = 0
const listeners = new Set<Listener>()

/** What can still be taken back, the latest last. It outlives its toast. */
let undoable: readonly ShownToast[] = []
const UNDOABLE_MAX = 20
/** What an undo does is not undone by the next one, which goes further back. */
let undoing = false

/** Says something at the edge of the page for a while. */
export function showToast(message: ToastMessage): void {
  change([...shown.slice(-2), keepUndo(message)])
}

/** Notes what can be taken back, also if something else than a toast tells it. */
export function keepUndo(message: ToastMessage): ShownToast {
  lastKey++
  const toast = { ...message, key: lastKey }
  if (toast.undo && !undoing) undoable = [...undoable, toast].slice(-UNDOABLE_MAX)
  return toast
}

/** Takes back what a toast told, and says so unless the undo has said something itself. */
export async function undoToast(toast: ShownToast): Promise<void> {
  const { key, message, undo } = toast
  undoable = undoable.filter((toast) => toast.key !== key)
  closeToast(key)
  const said = lastKey
  undoing = true
  try {
    const done = await undo?.()
    if (lastKey === said && done !== 'later') showToast({ message: `Undone: ${message}` })
  } catch (error) {
    // It can be tried again.
    undoable = [...undoable, toast]
    showToast({ tone: 'danger', message: `Could not undo: ${error instanceof Error ? error.message : String(error)}` })
  } finally {
    undoing = false
  }
}

/** Takes back the latest thing that can be taken back. */
export async function undoLatest(): Promise<void> {
  const latest = undoable.at(-1)
  if (latest) await undoToast(latest)
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
