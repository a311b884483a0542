import { useRef } from 'react'

/**
 * Returns the focus to where it was when a window closes. Radix does so only for windows with a trigger. What the
 * window has begun, such as a new row, may have taken the focus already.
 */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const before = useRef<HTMLElement>(undefined)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current) before.current = focusedElement()
  wasOpen.current = open
  return (event) => {
    event.preventDefault()
    if (document.activeElement === document.body) before.current?.focus()
  }
}

/** The focused element. A menu closes when it opens a window, so for its items this is its button. */
function focusedElement(): HTMLElement | undefined {
  const menu = document.activeElement?.closest('[role="menu"]')
  const element = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : document.activeElement
  return element instanceof HTMLElement ? element : undefined
}
