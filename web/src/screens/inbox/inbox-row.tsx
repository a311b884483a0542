import type { InboxItem } from '@kith/contract/app/inbox'
import type { Reason } from '@kith/contract/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import {
  AtSign,
  Circle,
  CircleCheck,
  CircleUserRound,
  Clock,
  type LucideIcon,
  MessageSquare,
  Reply,
  Upload,
  UserRoundPlus,
  Webhook,
} from 'lucide-react'
import { useMembers } from '../../api/members.ts'
import { markRead } from '../../api/notifications.ts'
import { isUnread } from '../../api/unread.ts'
import { useSlug } from '../../api/workspace.ts'
import { IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { Moment } from '../../components/moment.tsx'
import { UserAvatar } from '../../user-avatar.tsx'

/** Shown where nobody caused it, and next to who did. */
const icons: Readonly<Record<Reason, LucideIcon>> = {
  mentioned: AtSign,
  replied: Reply,
  assigned: CircleUserRound,
  commented: MessageSquare,
  due: Clock,
  import: Upload,
  webhook: Webhook,
  joined: UserRoundPlus,
}

/** A notification. Who opens it has read it. */
export function InboxRow({ item }: { item: InboxItem }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const { reason, actor_id, text, created_at } = item.attributes
  const actor = useMembers().find(({ id }) => id === actor_id)
  const unread = isUnread(item)
  const Icon = icons[reason]
  const mark = (read: boolean) => void markRead(queries, slug, item, read)
  return (
    <li className="flex items-center gap-1 pr-2 focus-within:bg-hover hover:bg-hover">
      <Link
        {...placeOf(slug, item)}
        data-row
        onClick={() => unread && mark(true)}
        className="flex min-w-0 flex-1 items-start gap-3 py-2.5 pr-2 pl-3 focus-visible:-outline-offset-2"
      >
        <span className={classNames('mt-2 size-2 shrink-0 rounded-full', unread && 'bg-accent')} />
        <span className="grid size-6 shrink-0 place-items-center text-faint [&>svg]:size-4">
          {actor ? <UserAvatar id={actor.id} name={actor.name} size={24} /> : <Icon aria-hidden />}
        </span>
        <span className="min-w-0 flex-1 text-sm">
          {unread && <span className="sr-only">Unread: </span>}
          <span dir="auto" className={classNames('line-clamp-3 wrap-anywhere', unread ? 'font-medium' : 'text-quiet')}>
            {text}
          </span>
          <span className="mt-0.5 flex items-center gap-1 text-xs text-faint [&>svg]:size-3">
            {actor && <Icon aria-hidden />}
            <Moment at={created_at} />
          </span>
        </span>
      </Link>
      <IconButton size="small" label={unread ? 'Mark as read' : 'Mark as unread'} keys="e" onClick={() => mark(unread)}>
        {unread ? <CircleCheck /> : <Circle />}
      </IconButton>
    </li>
  )
}

/** Where one sees what a notification is about. */
function placeOf(workspace: string, { attributes, comment_id }: InboxItem): LinkProps {
  const { resource, record_id: id } = attributes
  const page = (name: string) => ({
    to: '/$workspace/settings/$page' as const,
    params: { workspace, page: name },
  })
  if (resource === 'jobs') return { ...page('imports'), search: { job: id } }
  if (resource === 'webhooks') return { ...page('webhooks'), search: { webhook: id } }
  if (resource === 'users') return page('members')
  const search = comment_id === null ? {} : { comment: comment_id }
  return { to: '/$workspace/$resource/$id', params: { workspace, resource, id }, search }
}
