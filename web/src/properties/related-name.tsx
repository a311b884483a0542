import { isResourceName } from '../resources.ts'
import { RecordLink } from './record-link.tsx'
import type { Related } from './related.ts'
import { RelatedAvatar } from './related-avatar.tsx'

/** A member or record by name; a record's name leads to its page. */
export function RelatedName({ related, tabIndex = -1 }: { related: Related; tabIndex?: number }) {
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
  if (!isResourceName(type)) {
    return (
      <span title={name} className={look}>
        {shown}
      </span>
    )
  }
  return (
    <RecordLink resource={type} id={id} title={name} tabIndex={tabIndex} className={`${look} hover:underline`}>
      {shown}
    </RecordLink>
  )
}

export function RelatedNames({ related }: { related: readonly Related[] }) {
  if (related.length === 0) return null
  return (
    <span title={related.map(({ name }) => name).join('\n')} className="flex min-w-0 gap-3 overflow-hidden">
      {related.map((one) => (
        <RelatedName key={`${one.type} ${one.id}`} related={one} />
      ))}
    </span>
  )
}
