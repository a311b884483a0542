import { PanelLeft } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { IconButton } from '../components/button.tsx'
import { useShortcut } from '../keyboard/shortcuts.ts'
import { useStore } from '../store.ts'
import { useSidebar } from './device-settings.ts'
import { countedUnread, unread } from './unread.tsx'

/** The one line at the top of every screen. */
export function Header(props: {
  icon?: ReactNode
  title: ReactNode
  /** Where the title leads back, and the page has a heading of its own. */
  leadsBack?: boolean
  /** The name of the browser's tab, where it is not the title. */
  tab?: string | undefined
  /** Follows the title: a count, a menu. */
  extra?: ReactNode
  /** Shown at the end of the line. */
  children?: ReactNode
}) {
  const { icon, title, leadsBack = false, tab, extra, children } = props
  const Name = leadsBack ? 'div' : 'h1'
  usePageTitle(tab ?? (typeof title === 'string' ? title : undefined))
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 md:px-4">
      <SidebarButtons />
      <div className="flex min-w-0 flex-1 items-center gap-2">
        {icon && <span className="text-faint [&_svg]:size-4">{icon}</span>}
        {/* Where a crumb follows, the crumb is cut first. */}
        <Name className="min-w-0 truncate text-base font-medium has-[+[data-crumb]]:max-w-3/4 has-[+[data-crumb]]:shrink-0">
          {title}
        </Name>
        {extra}
      </div>
      <div className="flex shrink-0 items-center gap-1">{children}</div>
    </header>
  )
}

/** Follows the title of a record or a view. */
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
  const count = useStore(unread)
  useShortcut('[', 'Show or hide the sidebar', toggle)
  const news = count > 0 && (
    <span aria-hidden className="absolute top-1.5 right-1.5 size-2 rounded-full bg-accent ring-2 ring-paper" />
  )
  const named = (label: string) => (count > 0 ? `${label}, ${countedUnread(count)} unread` : label)
  return (
    <>
      <IconButton label={named('Open navigation')} className="relative -ml-1 md:hidden" onClick={openSheet}>
        <PanelLeft />
        {news}
      </IconButton>
      {!shown && (
        <IconButton
          label={named('Show the sidebar')}
          keys="["
          className="relative -ml-2 max-md:hidden"
          onClick={toggle}
        >
          <PanelLeft />
          {news}
        </IconButton>
      )}
    </>
  )
}

const PRODUCT = 'Kith'

/**
 * Names the browser's tab and the entry in its history. Without a name it is the product alone. What is not read comes
 * first, where a narrow tab shows it.
 */
export function usePageTitle(name: string | undefined): void {
  const count = useStore(unread)
  useEffect(() => {
    const title = name === undefined || name === '' ? PRODUCT : `${name} · ${PRODUCT}`
    document.title = count === 0 ? title : `(${countedUnread(count)}) ${title}`
  }, [name, count])
}
