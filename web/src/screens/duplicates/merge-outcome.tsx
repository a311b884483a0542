import type { Resource, ResourceName } from '@kith/contract/resource'
import { useQueries } from '@tanstack/react-query'
import { ArrowRight, Check, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { type ApiRecord, nameOf, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Skeleton } from '../../components/states.tsx'
import { filterAt } from '../../properties/property.ts'
import { appearanceIn, appearanceOf, counted } from '../../resources.ts'

/** The result of a merge, before it happens. */
export function MergeOutcome(props: { resource: Resource; winner: ApiRecord; losers: readonly ApiRecord[] }) {
  const { resource, winner, losers } = props
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
            `${list.format(moving.map((one) => counted(one.count, appearanceIn(resource.schema, one.resource))))} of the others ${moving.length === 1 && moving[0]?.count === 1 ? 'moves' : 'move'} to it.`
          )}
        </Line>
        <Line icon={<Trash2 aria-hidden />}>
          {counted(losers.length, appearanceOf(resource))} {losers.length === 1 ? 'goes' : 'go'} to the trash. The merge
          can be undone for 30 days.
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

/** How many records of each resource refer to those that are merged away, and so will refer to the winner. */
function useMoving(
  resource: Resource,
  loserIds: readonly string[],
): { resource: ResourceName; count: number }[] | undefined {
  const slug = useSlug()
  const asked = waysTo(resource)
  const answers = useQueries({
    queries: asked.map(({ from, relations }) => {
      const filter = { $or: relations.map((relation) => filterAt(relation, { $in: loserIds })) }
      return {
        queryKey: [...recordsKey(slug, from), 'moving', filter],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call<RecordPage>('POST', `/w/${slug}/v1/${from}/query`, {
            body: { filter, per_page: 1, fields: 'created_at' },
            signal,
          }),
      }
    }),
  })
  const counts = answers.map(({ data }) => data?.meta.total)
  if (counts.includes(undefined)) return undefined
  return asked
    .map(({ from }, index) => ({ resource: from, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
}

/** The relations by which records of each resource name records of this one. */
function waysTo(resource: Resource): { from: ResourceName; relations: string[] }[] {
  return [...resource.schema.values()].flatMap(({ type: from, relations }) => {
    const leading = Object.entries(relations).filter(
      ([, { to, kind }]) => to === resource.type && kind !== 'referring' && kind !== 'inverse',
    )
    return leading.length === 0 ? [] : [{ from, relations: leading.map(([name]) => name) }]
  })
}
