import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { summaryQuery } from '../../../api/summaries.ts'
import { useSlug } from '../../../api/workspace.ts'
import type { Property } from '../../../properties/property.ts'
import type { ListQuery } from '../list-query.ts'
import { formatMeasure, type Measure, measureWords, summaryOf } from './measures.ts'

type Props = {
  resource: ResourceName
  query: ListQuery
  property: Property
  measure: Measure
  /** Of one group only. */
  group?: { by: string; key: string | null } | undefined
}

/** The value of a measure. All groups of a list share one request. */
export function Measured({ resource, query, property, measure, group }: Props) {
  const asked = { resource, ...summaryOf(property, measure, query.filter), ...(group && { group_by: group.by }) }
  const { data, error } = useQuery({ ...summaryQuery(useSlug(), asked), placeholderData: keepPreviousData })
  const found = group ? data?.data.find(({ key }) => key === group.key) : data?.data[0]
  // A group that has no such record is not in the answer.
  const value = found ? found.value : data && asked.measure === 'count' ? 0 : null
  const shown = value === null ? undefined : formatMeasure(property, measure, value)
  const word = measureWords[measure]
  return (
    <span
      className="flex min-w-0 items-baseline gap-1.5"
      title={error ? error.message : shown && `${word}: ${shown.exact}`}
    >
      {/* The head of a group says an amount alone: the foot of the column says what it is. */}
      <span className={group && asked.measure !== 'count' ? 'sr-only' : 'text-xs text-faint'}>{word}</span>
      <span data-numeric className="truncate">
        {shown?.short ?? (data || error ? '–' : '')}
      </span>
    </span>
  )
}
