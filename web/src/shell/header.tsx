import { PanelLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { useShortcut } from '../keyboard/shortcuts.ts'
import { usePageTitle } from './page-title.ts'
import { useSidebar } from './sidebar-choice.ts'

type Props = {
  icon?: ReactNode
  title: ReactNode
  /** The name of the browser's tab, where it is not the title. */
  tab?: string | undefined
  /** Follows the title: a count, a menu. */
  extra?: ReactNode
  /** Shown at the end of the line. */
  children?: ReactNode
}

/** The one line at the top of every screen. */
export function Header({ icon, title, tab, extra, children }: Props) {
  usePageTitle(tab ?? (typeof title === 'string' ? title : undefined))
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 md:px-4">
      <SidebarButtons />
      <div className="flex min-w-0 flex-1 items-center gap-2">
        {icon && <span className="text-faint [&_svg]:size-4">{icon}</span>}
        {/* Where a crumb follows, only the crumb is cut. */}
        <h1 className="min-w-0 truncate text-base font-medium has-[+[data-crumb]]:shrink-0">{title}</h1>
        {extra}
      </div>
      <div className="flex shrink-0 items-center gap-1">{children}</div>
    </header>
  )
}

/** Follows the title of what it belongs to: a record, a view. */
export function Crumb({ children }: { children: string }) {
  return (
    <span data-crumb title={children} className="flex min-w-0 gap-2 text-sm text-quiet">
      <span aria-hidden className="text-faint">
        /
      </span>
      <span dir="auto" className="min-w-0 truncate">
        {children}
      </span>
    </span>
  )
}

function SidebarButtons() {
  const { shown, toggle, openSheet } = useSidebar()
  useShortcut('[', 'Show or hide the sidebar', toggle)
  return (
    <>
      <IconButton label="Open navigation" className="-ml-1 md:hidden" onClick={openSheet}>
        <PanelLeft />
      </IconButton>
      {!shown && (
        <IconButton label="Show the sidebar" keys="[" className="-ml-2 max-md:hidden" onClick={toggle}>
          <PanelLeft />
        </IconButton>
      )}
    </>
  )
}
