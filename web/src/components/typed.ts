import { type FocusEvent, useRef } from 'react'

/** Notices whether something was typed into the inputs of an element. Codes, passwords and searches do not count. */
export function useTyped() {
  const before = useRef(new Map<HTMLInputElement | HTMLTextAreaElement, string>())
  return {
    onFocusCapture({ target }: FocusEvent) {
      if (isText(target) && !before.current.has(target)) before.current.set(target, target.value)
    },
    isTyped: () => [...before.current].some(([input, value]) => input.isConnected && input.value !== value),
  }
}

const textTypes: ReadonlySet<string> = new Set(['text', 'email', 'url', 'tel', 'number'])

function isText(target: EventTarget): target is HTMLInputElement | HTMLTextAreaElement {
  if (target instanceof HTMLTextAreaElement) return !target.readOnly
  if (!(target instanceof HTMLInputElement) || target.readOnly) return false
  return textTypes.has(target.type) && target.autocomplete !== 'one-time-code'
}
