import { useEffect } from 'react'

type TextInput = HTMLInputElement | HTMLTextAreaElement

/** The inputs of the page that had the focus, with their values before. */
const before = new Map<TextInput, string>()

/** Follows the inputs of the page. Once for the application. */
export function followTyping(): void {
  document.addEventListener('focusin', ({ target }) => {
    for (const input of before.keys()) if (!input.isConnected) before.delete(input)
    if (isText(target) && !before.has(target)) before.set(target, target.value)
  })
}

/** Whether something was typed into the inputs of an element. Codes, passwords and searches do not count. */
export function isTyped(within: Node): boolean {
  return [...before].some(([input, value]) => within.contains(input) && input.value !== value)
}

/** The choices on the page that are no texts. */
const held = new Set<object>()

/** Says that the page holds choices which would be lost with it. */
export function useHeld(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return
    const choices = {}
    held.add(choices)
    return () => void held.delete(choices)
  }, [isHeld])
}

/** Whether something was typed or chosen on the page that would be lost with it. */
export function isFilled(): boolean {
  return held.size > 0 || isTyped(document)
}

const textTypes: ReadonlySet<string> = new Set(['text', 'email', 'url', 'tel', 'number'])

function isText(target: EventTarget | null): target is TextInput {
  if (target instanceof HTMLTextAreaElement) return !target.readOnly
  if (!(target instanceof HTMLInputElement) || target.readOnly) return false
  return textTypes.has(target.type) && target.autocomplete !== 'one-time-code'
}
