import { createStore } from '../store.ts'

type ToastInput = {
  message: string
  tone?: 'plain' | 'danger'
  /** Where the message leads. */
  link?: { label: string; href: string; open(): void }
  /** Undoes the action. Returns `later` if that takes longer and tells its end itself. */
  undo?: () => Promise<void> | 'later' | undefined | void
}

export type Toast = ToastInput & { key: number }

/** The toasts on the screen. */
export const toasts = createStore<readonly Toast[]>([])
let lastKey = 0

/** The actions that can still be undone, the latest last. They outlive their toasts. */
let undoable: readonly Toast[] = []
const UNDOABLE_MAX = 20
/** While an undo runs, its own actions are not recorded: the next undo goes further back. */
let undoing = false

/** Says something at the edge of the page for a while. */
export function showToast(message: ToastInput): void {
  addToast(message)
}

/** The same, with a toast that can be told more later. */
export function addToast(message: ToastInput): Toast {
  const toast = keepUndo(message)
  toasts.set([...toasts.get().slice(-2), toast])
  return toast
}

/** Says more about an action in the place of its toast, unless that is closed. The undo stays the same. */
export function tellMore(toast: Toast, message: Pick<ToastInput, 'message' | 'link'>): void {
  if (!toasts.get().some(({ key }) => key === toast.key)) return
  undoable = undoable.filter(({ key }) => key !== toast.key)
  closeToast(toast.key)
  showToast({ ...toast, ...message })
}

/** Records an action that can be undone, also if it is not told by a toast. */
export function keepUndo(message: ToastInput): Toast {
  lastKey++
  const toast = { ...message, key: lastKey }
  if (toast.undo && !undoing) undoable = [...undoable, toast].slice(-UNDOABLE_MAX)
  return toast
}

/** Undoes the action of a toast, and says so unless the undo has told something itself. */
export async function undoToast(toast: Toast): Promise<void> {
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
  toasts.set(toasts.get().filter((toast) => toast.key !== key))
}
