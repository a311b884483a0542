import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { shownFailure } from '../../../api/problems.ts'
import { summaryQuery } from '../../../api/records.ts'
import { useSlug } from '../../../api/workspace.ts'
import { joined, type ListQuery } from '../list-query.ts'
import type { Segment } from '../segments.ts'
import { foldGroups, REST } from './folding.ts'
import { type Grouping, groupsOf } from './grouping.ts'

/**
 * The groups of a list as segments of its rows, undefined until the first answer. A list without a grouping is one
 * segment, whose length comes with its records.
 */
export function useGroups(
  resource: ResourceName,
  { query, grouping, folded }: { query: ListQuery; grouping: Grouping | undefined; folded: string | undefined },
): {
  segments: Segment[] | undefined
  error: Error | null
  retry(): void
  toggle(key: string | null): void
} {
  const slug = useSlug()
  const by = grouping?.by ?? ''
  const [collapsed, toggle] = useCollapsed(`kith.collapsed.${slug}.${resource}.${by}`)
  const sort = grouping?.property.kind === 'custom' ? ('label' as const) : undefined
  const asked = {
    ...{ resource, measure: 'count' as const, group_by: by },
    ...(query.filter && { filter: query.filter }),
    ...(sort && { sort }),
  }
  const { data, error, refetch } = useQuery({
    ...summaryQuery(slug, asked),
    placeholderData: keepPreviousData,
    enabled: grouping !== undefined,
  })
  const segments = useMemo(() => {
    if (!grouping) return [{ query }]
    return (
      data &&
      foldGroups(groupsOf(grouping, data.data), grouping.property, folded).map((group) => {
        const filter = joined(query.filter, group.filter)
        // Groups are open at first, what is folded is not.
        const open = collapsed.includes(String(group.key)) === (group.key === REST)
        return { query: { ...query, ...(filter && { filter }) }, group, open }
      })
    )
  }, [query, grouping, folded, data, collapsed])
  return { segments, error: shownFailure({ data, error }), retry: refetch, toggle }
}

/** Which groups are closed is remembered on this device. */
function useCollapsed(place: string): [readonly string[], (key: string | null) => void] {
  const [kept, setKept] = useState({ place, keys: keysAt(place) })
  const keys = useMemo(() => (kept.place === place ? kept.keys : keysAt(place)), [kept, place])
  const toggle = (key: string | null) => {
    const name = String(key)
    const next = keys.includes(name) ? keys.filter((one) => one !== name) : [...keys, name]
    localStorage.setItem(place, JSON.stringify(next))
    setKept({ place, keys: next })
  }
  return [keys, toggle]
}

function keysAt(place: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}
