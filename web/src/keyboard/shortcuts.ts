import { useEffect, useRef } from 'react'

type Binding = { keys: string; does: string; current: { run(event: KeyboardEvent): void } }

/** The bindings of the screens that are open, the latest last. If two want one key, the inner screen gets it. */
const active: Binding[] = []

/**
 * Binds a key while the calling screen is shown: a letter such as `c`, or `Mod+k`; without `run` the key does nothing.
 * Plain letters are ignored while the user types or a dialog is open. `does` is the text in the list of keys.
 */
export function useShortcut(keys: string, does: string, run: ((event: KeyboardEvent) => void) | undefined): void {
  const enabled = run !== undefined
  const current = useRef({ run: (_event: KeyboardEvent) => {} })
  useEffect(() => {
    if (run) current.current.run = run
  })
  useEffect(() => {
    if (!enabled) return
    const binding: Binding = { keys, does, current: current.current }
    active.push(binding)
    return () => void active.splice(active.indexOf(binding), 1)
  }, [keys, does, enabled])
}

/** The key that takes back the latest action. */
export const UNDO = 'Mod+z'

/** All keys that do something now. */
export function activeShortcuts(): { keys: string; does: string }[] {
  const seen = new Map<string, { keys: string; does: string }>()
  for (const { keys, does } of active) seen.set(keys, { keys, does })
  return [...seen.values()]
}

/** Listens for the whole page; the shell calls it once. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    const found = active.findLast(({ keys }) => matches(keys, event))
    if (!found || isOwned(found.keys, event)) return
    event.preventDefault()
    found.current.run(event)
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}

function matches(keys: string, event: KeyboardEvent): boolean {
  const mod = event.metaKey || event.ctrlKey
  if (keys.startsWith('Mod+')) return mod && event.key.toLowerCase() === keys.slice(4).toLowerCase()
  return !mod && !event.altKey && event.key.toLowerCase() === keys.toLowerCase()
}

/** Whether a key belongs to something else: a field that is typed into, or an open window or menu. */
function isOwned(keys: string, { target, shiftKey }: KeyboardEvent): boolean {
  const typing =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'))
  // A field undoes its own typing. With Shift it would be a redo.
  if (keys === UNDO) return typing || shiftKey
  if (keys.startsWith('Mod+')) return false
  // What has the focus may scroll or move by itself.
  if (typing || (keys.startsWith('Arrow') && target !== document.body)) return true
  return document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
}
