import type { InboxItem } from '@kith/contract/app/inbox'
import { useQuery } from '@tanstack/react-query'
import { call, searchOf } from './call.ts'
import { recordsKey } from './records.ts'

export type InboxPage = { data: InboxItem[]; meta: { next_cursor: string | null } }

/** Live updates call by it. */
export function inboxKey(slug: string): readonly unknown[] {
  return recordsKey(slug, 'notifications')
}

/** More are not counted. */
export const UNREAD_MAX = 99

/** How many notifications the user has not read: at most one more than are counted. */
export function useUnread(slug: string): number {
  const { data } = useQuery({
    queryKey: [...inboxKey(slug), 'unread'],
    queryFn: ({ signal }) =>
      call<InboxPage>('GET', `/w/${slug}/inbox${searchOf({ unread: 'true', per_page: UNREAD_MAX + 1 })}`, { signal }),
  })
  return data?.data.filter(isUnread).length ?? 0
}

export function isUnread({ attributes }: InboxItem): boolean {
  return attributes.read_at === null
}
