import { Avatar, type AvatarSize } from '../components/avatar.tsx'
import { classNames } from '../components/class-names.ts'
import { ResourceIcon } from '../resource-icon.tsx'
import { avatarOf, useAppearance } from '../resources.ts'
import { UserAvatar } from '../user-avatar.tsx'
import { RecordLink } from './record-link.tsx'
import type { RelatedRecord } from './related.ts'

/** A member or record by name; a record's name leads to its page. */
export function RelatedName({ related, tabIndex = -1 }: { related: RelatedRecord; tabIndex?: number }) {
  const { id, type, name } = related
  const shown = (
    <>
      <RelatedAvatar related={related} size={16} />
      <span dir="auto" className="truncate">
        {name}
      </span>
    </>
  )
  const look = 'inline-flex max-w-full min-w-0 items-center gap-1.5 align-middle'
  if (type === 'users') {
    return (
      <span title={name} className={look}>
        {shown}
      </span>
    )
  }
  return (
    <RecordLink
      resource={type}
      id={id}
      title={name}
      tabIndex={tabIndex}
      className={`${look} rounded-md border border-line px-1.5 py-px hover:border-edge hover:bg-hover`}
    >
      {shown}
    </RecordLink>
  )
}

export function RelatedNames({ related }: { related: readonly RelatedRecord[] }) {
  if (related.length === 0) return null
  return (
    <span title={related.map(({ name }) => name).join('\n')} className="flex min-w-0 gap-2 overflow-hidden">
      {related.map((one) => (
        <span
          key={`${one.type} ${one.id}`}
          // One may take the whole line. Of several, a long one must not hide the others.
          className={classNames('flex min-w-0', related.length > 1 && 'max-w-36 shrink-0')}
        >
          <RelatedName related={one} />
        </span>
      ))}
    </span>
  )
}

/** The avatar of a member or record, or the icon of its resource. */
export function RelatedAvatar(props: { related: { id: string; type: string; name: string }; size?: AvatarSize }) {
  const {
    related: { id, type, name },
    size = 20,
  } = props
  if (type === 'users') return <UserAvatar id={id} name={name} size={size} />
  const shape = avatarOf(type)
  return shape ? <Avatar name={name} shape={shape} size={size} /> : <OfResource type={type} />
}

function OfResource({ type }: { type: string }) {
  return <ResourceIcon of={useAppearance(type)} />
}
