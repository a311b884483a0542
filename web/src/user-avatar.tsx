import { useQuery } from '@tanstack/react-query'
import { membersQuery, useSlug } from './api/workspace.ts'
import { Avatar, type AvatarSize } from './components/avatar.tsx'

type Props = { id: string | undefined; name: string; size?: AvatarSize }

/** A member with their picture, if they have one. Former members have their initials. */
export function UserAvatar({ id, name, size = 20 }: Props) {
  const slug = useSlug()
  const { data: members = [] } = useQuery(membersQuery(slug))
  const picture = members.find((member) => member.id === id)?.picture
  return <Avatar name={name} size={size} picture={picture ? `/api/app/w/${slug}/pictures/${picture}` : undefined} />
}
