import { createContext, useContext, useState } from 'react'

const KEY = 'kith.sidebar'

type SidebarChoice = { shown: boolean; toggle(): void }

/** Whether the sidebar is shown, remembered on this device. */
export function useSidebarChoice(): SidebarChoice {
  const [shown, setShown] = useState(() => localStorage.getItem(KEY) !== 'hidden')
  const toggle = () => {
    localStorage.setItem(KEY, shown ? 'hidden' : 'shown')
    setShown(!shown)
  }
  return { shown, toggle }
}

/** Opens the sidebar: next to the page, or over it on narrow screens. */
export const SidebarContext = createContext<SidebarChoice & { openSheet(): void }>({
  shown: true,
  toggle: () => {},
  openSheet: () => {},
})

export function useSidebar() {
  return useContext(SidebarContext)
}
