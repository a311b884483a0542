import { useQuery } from '@tanstack/react-query'
import { membersQuery } from './api/members.ts'
import { useSlug } from './api/workspace.ts'
import { Avatar, type AvatarSize } from './components/avatar.tsx'
import { Pill } from './components/pill.tsx'
import { Tooltip } from './components/tooltip.tsx'

/** A member with their picture, if they have one. Former members have their initials. */
export function UserAvatar({ id, name, size = 20 }: { id: string | undefined; name: string; size?: AvatarSize }) {
  const slug = useSlug()
  const { data: members = [] } = useQuery(membersQuery(slug))
  const picture = members.find((member) => member.id === id)?.picture
  return <Avatar name={name} size={size} picture={picture ? `/api/app/w/${slug}/pictures/${picture}` : undefined} />
}

/** Marks an account with an unverified address: another person may have created it. */
export function Unverified() {
  return (
    <Tooltip text="This account has not confirmed its email address.">
      <span>
        <Pill tint="amber">Unverified</Pill>
      </span>
    </Tooltip>
  )
}
