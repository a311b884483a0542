import { Link } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useEffect } from 'react'
import { UNREAD_MAX, useUnread } from '../api/unread.ts'
import { useSlug } from '../api/workspace.ts'
import { createStore } from '../store.ts'

/** How many notifications the user has not read in the open workspace. */
export const unread = createStore(0)

/** Keeps the number while a workspace is open. */
export function useUnreadCount(): void {
  const count = useUnread(useSlug())
  useEffect(() => {
    unread.set(count)
    return () => unread.set(0)
  }, [count])
}

export function countedUnread(count: number): string {
  return count > UNREAD_MAX ? `${UNREAD_MAX}+` : String(count)
}

/** The way to the inbox, with the number of what is not read. */
export function InboxLink({ count, look }: { count: number; look: LinkLook }) {
  const { className, ...states } = look
  return (
    <Link
      to="/$workspace/notifications"
      params={{ workspace: useSlug() }}
      className={className}
      activeOptions={{ includeSearch: false }}
      {...states}
    >
      <Bell aria-hidden />
      <span className="flex-1">Inbox</span>
      {count > 0 && (
        <span
          data-numeric
          className="min-w-4.5 rounded-full bg-accent px-1.5 text-center text-xs font-medium text-on-accent"
        >
          {countedUnread(count)}
          <span className="sr-only"> unread</span>
        </span>
      )}
    </Link>
  )
}

type LinkLook = {
  className: string
  activeProps: { className: string }
  inactiveProps: { className: string }
}
