import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Check, Plus } from 'lucide-react'
import { summaryQuery } from '../../../api/records.ts'
import { useSlug } from '../../../api/workspace.ts'
import { classNames } from '../../../components/class-names.ts'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuTrigger } from '../../../components/menu.tsx'
import type { Property } from '../../../properties/property.ts'
import { isAlignedEnd } from '../../../properties/property-view.ts'
import { counted, useAppearance } from '../../../resources.ts'
import type { Column } from '../columns.ts'
import type { ListQuery } from '../list-query.ts'
import { useListState } from '../list-state.ts'
import { CHECK_WIDTH } from '../row.tsx'
import { useTotal } from '../total.tsx'
import {
  formatMeasure,
  type Measure,
  measuresIn,
  measuresOf,
  measureWords,
  summaryOf,
  withMeasure,
} from './measures.ts'

export const FOOT_HEIGHT = 32

/** The foot of the table: what each column has in all, chosen by the reader. */
export function FooterRow(props: {
  resource: ResourceName
  query: ListQuery
  columns: readonly Column[]
  row: number
}) {
  const { resource, query, columns, row } = props
  const words = useAppearance(resource)
  const total = useTotal({ resource, query })
  return (
    <div role="row" aria-rowindex={row} className="flex bg-paper text-sm" style={{ height: FOOT_HEIGHT }}>
      <div
        role="gridcell"
        style={{ width: CHECK_WIDTH }}
        className="sticky left-0 z-10 shrink-0 border-t border-line bg-paper"
      />
      {columns.map((column, place) => (
        <div
          key={column.property.key}
          role="gridcell"
          style={{ width: column.width, ...(place === 0 ? { left: CHECK_WIDTH } : {}) }}
          className={classNames(
            'shrink-0 border-t border-r border-line bg-paper',
            place === 0 && 'sticky z-10',
            isAlignedEnd(column.property) && 'justify-end',
          )}
        >
          {column.property.kind === 'name' ? (
            <span data-numeric className="flex h-full items-center truncate px-2 text-xs text-faint">
              {total !== undefined && counted(total, words)}
            </span>
          ) : (
            <FooterCell resource={resource} query={query} column={column} />
          )}
        </div>
      ))}
      <div role="presentation" className="flex-1 border-t border-line" />
    </div>
  )
}

function FooterCell(props: { resource: ResourceName; query: ListQuery; column: Column }) {
  const {
    resource,
    query,
    column: { property },
  } = props
  const [{ footers }, change] = useListState()
  const measures = measuresOf(property)
  const measure = measuresIn(footers).get(property.key)
  const shown = measures.find((one) => one === measure)
  if (measures.length === 0) return null
  return (
    <Menu>
      <MenuTrigger
        aria-label={shown ? undefined : `Calculate for column ${property.label}`}
        className={classNames(
          'group/foot flex h-full w-full min-w-0 items-center gap-1 px-2 -outline-offset-2 hover:bg-hover data-[state=open]:bg-hover',
          isAlignedEnd(property) && 'justify-end',
        )}
      >
        {shown ? (
          <Measured resource={resource} query={query} property={property} measure={shown} />
        ) : (
          <span className="flex items-center gap-1 text-xs text-faint opacity-0 group-hover/foot:opacity-100 group-focus-visible/foot:opacity-100 group-data-[state=open]/foot:opacity-100">
            <Plus aria-hidden className="size-3.5" />
            Calculate
          </span>
        )}
      </MenuTrigger>
      <MenuContent>
        <MenuLabel>{property.label}</MenuLabel>
        {measures.map((one) => (
          <MenuItem
            key={one}
            icon={one === shown ? <Check /> : <span className="size-4" />}
            onSelect={() => change({ footers: withMeasure(footers, property.key, one === shown ? undefined : one) })}
          >
            {measureWords[one]}
          </MenuItem>
        ))}
        {shown && (
          <MenuItem
            icon={<span className="size-4" />}
            onSelect={() => change({ footers: withMeasure(footers, property.key, undefined) })}
          >
            None
          </MenuItem>
        )}
      </MenuContent>
    </Menu>
  )
}

/** The value of a measure. All groups of a list share one request. */
export function Measured(props: {
  resource: ResourceName
  query: ListQuery
  property: Property
  measure: Measure
  /** Of one group only, or of a group that the query is about. */
  group?: { by: string; key: string | null } | 'all' | undefined
}) {
  const { resource, query, property, measure, group } = props
  const ofOne = group === 'all' ? undefined : group
  const asked = { resource, ...summaryOf(property, measure, query.filter), ...(ofOne && { group_by: ofOne.by }) }
  const { data, error } = useQuery({ ...summaryQuery(useSlug(), asked), placeholderData: keepPreviousData })
  const found = ofOne ? data?.data.find(({ key }) => key === ofOne.key) : data?.data[0]
  // A group that has no such record is not in the answer.
  const value = found ? found.value : data && asked.measure === 'count' ? 0 : null
  const shown = value === null ? undefined : formatMeasure(property, measure, value)
  const word = measureWords[measure]
  return (
    <span className="flex min-w-0 items-baseline gap-1.5" title={error ? error.message : shown && `${word}: ${shown}`}>
      {/* The head of a group says an amount alone: the foot of the column says what it is. */}
      <span className={group && asked.measure !== 'count' ? 'sr-only' : 'min-w-0 truncate text-xs text-faint'}>
        {word}
      </span>
      <span data-numeric className="max-w-full shrink-0 truncate">
        {shown ?? (data || error ? '–' : '')}
      </span>
    </span>
  )
}
