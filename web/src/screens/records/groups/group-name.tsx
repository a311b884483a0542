import { ChevronRight } from 'lucide-react'
import { classNames } from '../../../components/class-names.ts'
import { Pill } from '../../../components/pill.tsx'
import { formatNumber } from '../../../format/numbers.ts'
import { RelatedAvatar } from '../../../properties/related-name.tsx'
import { REST } from './folding.ts'
import type { Group, Grouping } from './grouping.ts'

/** The name of a group as the values of its property look, and the number of its records. */
export function GroupName({ grouping: { property }, group }: { grouping: Grouping; group: Group & { open: boolean } }) {
  const to = 'to' in property ? property.to : 'users'
  const isRecord = property.kind !== 'custom' && group.key !== null && group.key !== 'other'
  return (
    <span className="flex min-w-0 items-center gap-2">
      <ChevronRight
        aria-hidden
        className={classNames('size-4 shrink-0 text-faint transition-transform', group.open && 'rotate-90')}
      />
      {property.kind === 'custom' && group.key !== null && group.key !== REST ? (
        <Pill tint={group.color}>{group.label}</Pill>
      ) : (
        <>
          {isRecord && <RelatedAvatar related={{ id: group.key ?? '', type: to, name: group.label }} />}
          <span dir="auto" className={classNames('truncate font-medium', !isRecord && 'text-quiet')}>
            {group.label}
          </span>
        </>
      )}
      <span data-numeric className="shrink-0 text-xs text-faint">
        {formatNumber(group.count)}
      </span>
    </span>
  )
}
