import type { ResourceName } from '@kith/contract/resource'
import { createContext, useContext, useState } from 'react'
import { createStore, useStore } from '../store.ts'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'kith.theme'

const chosen = createStore(storedTheme())

const systemDark = window.matchMedia('(prefers-color-scheme: dark)')

systemDark.addEventListener('change', apply)

/** The chosen theme, and how to choose another; it holds on this device. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useStore(chosen), choose]
}

function storedTheme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

function choose(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  apply()
}

function apply(): void {
  const theme = storedTheme()
  const dark = theme === 'dark' || (theme === 'system' && systemDark.matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  chosen.set(theme)
}

export type RecentRecord = { resource: ResourceName; id: string; name: string }

const KEPT = 8

/** The records whose pages were opened last in a workspace, on this device. */
export function recentRecords(slug: string): RecentRecord[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(slug)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isVisited) : []
  } catch {
    return []
  }
}

export function noteVisit(slug: string, visited: RecentRecord): void {
  const others = recentRecords(slug).filter(({ id }) => id !== visited.id)
  localStorage.setItem(keyOf(slug), JSON.stringify([visited, ...others].slice(0, KEPT)))
}

function keyOf(slug: string): string {
  return `kith.recent.${slug}`
}

function isVisited(kept: unknown): kept is RecentRecord {
  if (typeof kept !== 'object' || kept === null) return false
  const { resource, id, name } = kept as Partial<Record<keyof RecentRecord, unknown>>
  return typeof resource === 'string' && typeof id === 'string' && typeof name === 'string'
}

const SIDEBAR = 'kith.sidebar'

type SidebarChoice = { shown: boolean; toggle(): void }

/** Whether the sidebar is shown, remembered on this device. */
export function useSidebarChoice(): SidebarChoice {
  const [shown, setShown] = useState(() => localStorage.getItem(SIDEBAR) !== 'hidden')
  const toggle = () => {
    localStorage.setItem(SIDEBAR, shown ? 'hidden' : 'shown')
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
