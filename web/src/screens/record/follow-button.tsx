import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bell, BellRing } from 'lucide-react'
import { follow, followQuery } from '../../api/notifications.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'

/** Whether the user is notified of the comments on a record. Every role may follow. */
export function FollowButton({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const { data } = useQuery(followQuery(slug, record))
  if (!data) return null
  const { following } = data.meta
  const Icon = following ? BellRing : Bell
  const text = following ? 'You are notified of comments. Click to end it.' : 'Be notified of comments'
  return (
    <Tooltip text={text}>
      <Button look="quiet" onClick={() => follow(queries, slug, record, !following)} className="max-md:w-8 max-md:px-0">
        <Icon aria-hidden className={following ? 'text-accent' : undefined} />
        <span className="max-md:sr-only">{following ? 'Following' : 'Follow'}</span>
      </Button>
    </Tooltip>
  )
}
