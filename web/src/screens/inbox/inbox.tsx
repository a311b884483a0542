import type { InboxItem } from '@kith/contract/app/inbox'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Bell, CheckCheck, Inbox as InboxIcon, Settings } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { inboxQuery, markAllRead, markRead } from '../../api/notifications.ts'
import { isUnread } from '../../api/unread.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { Header } from '../../shell/header.tsx'
import { InboxRow } from './inbox-row.tsx'

const route = getRouteApi('/$workspace/notifications')

/** What happened that concerns the user. */
export function Inbox() {
  const slug = useSlug()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { unread = false } = route.useSearch()
  const query = useInfiniteQuery(inboxQuery(slug, unread))
  const { data, error, refetch } = query
  const items = data?.pages.flatMap((page) => page.data) ?? []
  const [latest] = items
  const show = (only: boolean) => {
    void navigate({ to: '.', search: only ? { unread: true } : {}, replace: true })
  }
  return (
    <>
      <Header icon={<Bell aria-hidden />} title="Inbox">
        {[false, true].map((only) => (
          <Button
            key={String(only)}
            size="small"
            look="quiet"
            active={unread === only}
            aria-pressed={unread === only}
            onClick={() => show(only)}
          >
            {only ? 'Unread' : 'All'}
          </Button>
        ))}
        <Button
          look="quiet"
          aria-label="Mark all as read"
          disabled={!latest || !items.some(isUnread)}
          onClick={() => latest && markAllRead(queries, slug, latest)}
          className="max-sm:px-2"
        >
          <CheckCheck aria-hidden />
          <span className="max-sm:hidden">Mark all as read</span>
        </Button>
        <Link
          to="/$workspace/settings/$page"
          params={{ workspace: slug, page: 'notifications' }}
          aria-label="Notification settings"
          title="Notification settings"
          className="grid size-8 place-items-center rounded-md text-quiet hover:bg-hover hover:text-ink [&_svg]:size-4"
        >
          <Settings aria-hidden />
        </Link>
      </Header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-180 py-2 md:px-4">
          {error && <ErrorState error={error} onRetry={refetch} />}
          {!data && !error && <InboxSkeleton />}
          {items.length > 0 && <InboxList items={items} />}
          {data && items.length === 0 && <Nothing unread={unread} onAll={() => show(false)} />}
          {query.hasNextPage && <More isLoading={query.isFetchingNextPage} onMore={query.fetchNextPage} />}
        </div>
      </div>
    </>
  )
}

function Nothing({ unread, onAll }: { unread: boolean; onAll(): void }) {
  if (unread) {
    return (
      <EmptyState icon={CheckCheck} title="You have read everything">
        <Button onClick={onAll}>Show all</Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={InboxIcon}
      title="No notifications yet"
      text="Mentions, replies, what is assigned to you or due, and comments on records that you follow arrive here."
    />
  )
}

/** The keys move the focus from row to row. */
function InboxList({ items }: { items: readonly InboxItem[] }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const list = useRef<HTMLUListElement>(null)
  /** The place of the focus. A row that leaves the list gives it to the next one. */
  const place = useRef<number>(undefined)
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('a[data-row]') ?? [])]
  const focused = () => links().findIndex((link) => link.matches(':focus'))
  const move = (by: number) => {
    const all = links()
    all[Math.max(0, Math.min(all.length - 1, focused() + by))]?.focus()
  }
  const toggle = () => {
    const item = items[focused()]
    if (item) void markRead(queries, slug, item, isUnread(item))
  }
  useShortcut('j', 'Next notification', () => move(1))
  useShortcut('k', 'Previous notification', () => move(-1))
  useShortcut('e', 'Mark as read or unread', toggle)
  const onKeyDown = (event: KeyboardEvent) => {
    if (focused() === -1) return
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === ' ') toggle()
    else return
    event.preventDefault()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget) place.current = undefined
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only after the list has changed
  useEffect(() => {
    if (place.current === undefined || document.activeElement !== document.body) return
    const all = links()
    all[Math.min(place.current, all.length - 1)]?.focus()
  }, [items.length])
  return (
    <ul
      ref={list}
      aria-label="Notifications"
      onKeyDown={onKeyDown}
      onFocus={() => {
        place.current = focused()
      }}
      onBlur={onBlur}
      className="divide-y divide-line"
    >
      {items.map((item) => (
        <InboxRow key={item.id} item={item} />
      ))}
    </ul>
  )
}

/** Loads the next page as soon as the end of the list comes into view. */
function More({ isLoading, onMore }: { isLoading: boolean; onMore(): void }) {
  const button = useRef<HTMLButtonElement>(null)
  const load = useRef(onMore)
  load.current = onMore
  useEffect(() => {
    const watching = new IntersectionObserver(([seen]) => seen?.isIntersecting && load.current())
    if (button.current && !isLoading) watching.observe(button.current)
    return () => watching.disconnect()
  }, [isLoading])
  return (
    <Button ref={button} size="small" disabled={isLoading} onClick={onMore} className="mx-4 my-3">
      Earlier
    </Button>
  )
}

function InboxSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {[...'12345'].map((line) => (
        <div key={line} className="flex items-center gap-3 px-4 py-3">
          <Skeleton className="size-6 rounded-full" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="w-2/3" />
            <Skeleton className="w-24" />
          </div>
        </div>
      ))}
    </div>
  )
}
