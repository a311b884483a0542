import { Avatar, type AvatarSize } from '../components/avatar.tsx'
import { avatarOf } from '../resources.ts'
import { UserAvatar } from '../user-avatar.tsx'

type Props = { related: { id: string; type: string; name: string }; size?: AvatarSize }

/** The avatar of a member or record: none for resources without one. */
export function RelatedAvatar({ related: { id, type, name }, size = 20 }: Props) {
  if (type === 'users') return <UserAvatar id={id} name={name} size={size} />
  const shape = avatarOf(type)
  return shape ? <Avatar name={name} shape={shape} size={size} /> : null
}
