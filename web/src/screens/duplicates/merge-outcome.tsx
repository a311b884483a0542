import type { Resource } from '@kith/contract/resource'
import { ArrowRight, Check, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { counted } from '../../resources.ts'
import { useMoving } from './moving.ts'

type Props = { resource: Resource; winner: ApiRecord; losers: readonly ApiRecord[] }

/** What will happen, before it does. */
export function MergeOutcome({ resource, winner, losers }: Props) {
  const moving = useMoving(
    resource,
    losers.map(({ id }) => id),
  )
  const list = new Intl.ListFormat('en')
  return (
    <section aria-label="What happens">
      <h2 className="text-sm font-semibold">What happens</h2>
      <ul className="mt-2 grid gap-1.5 text-sm text-quiet">
        <Line icon={<Check aria-hidden />}>
          <strong className="font-medium text-ink">{nameOf(winner)}</strong> stays and keeps its id{' '}
          <code className="font-mono text-xs">{winner.id}</code>.
        </Line>
        <Line icon={<ArrowRight aria-hidden />}>
          {moving === undefined ? (
            <Skeleton className="mt-1 w-56" />
          ) : moving.length === 0 ? (
            'No other records refer to them.'
          ) : (
            `${list.format(moving.map((one) => counted(one.count, one.resource)))} of the others ${moving.length === 1 && moving[0]?.count === 1 ? 'moves' : 'move'} to it.`
          )}
        </Line>
        <Line icon={<Trash2 aria-hidden />}>
          {counted(losers.length, resource.type)} {losers.length === 1 ? 'goes' : 'go'} to the trash. The merge can be
          undone for 30 days.
        </Line>
      </ul>
    </section>
  )
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2 wrap-anywhere [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint">
      {icon}
      <span className="min-w-0 flex-1">{children}</span>
    </li>
  )
}
