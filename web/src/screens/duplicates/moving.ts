import { resources } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'

type Moving = { resource: ResourceName; count: number }

/** How many records of each resource refer to those that are merged away, and so will refer to the winner. */
export function useMoving(resource: Resource, loserIds: readonly string[]): Moving[] | undefined {
  const slug = useSlug()
  const asked = waysTo(resource)
  const answers = useQueries({
    queries: asked.map(({ from, relation }) => ({
      queryKey: [...recordsKey(slug, from), 'moving', relation, ...loserIds],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordPage>('POST', `/w/${slug}/v1/${from}/query`, {
          body: { filter: { [relation]: { $in: loserIds } }, per_page: 1, fields: 'created_at' },
          signal,
        }),
    })),
  })
  const counts = answers.map(({ data }) => data?.meta.total)
  if (counts.includes(undefined)) return undefined
  return asked
    .map(({ from }, index) => ({ resource: from, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0)
}

/** The relations of other resources that lead to records of this one and are held on the other side. */
function waysTo(resource: Resource): { from: ResourceName; relation: string }[] {
  return resources.flatMap((other) =>
    Object.entries(other.relations)
      .filter(([, relation]) => relation.to === resource.type && relation.kind !== 'referring')
      .map(([relation]) => ({ from: other.type, relation })),
  )
}
