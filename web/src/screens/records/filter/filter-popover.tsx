import type { ResourceName } from '@kith/contract/resource'
import { ListFilter } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { useResource } from '../../../api/schema.ts'
import { Button } from '../../../components/button.tsx'
import { chunk } from '../../../components/chunk.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { useShortcut } from '../../../keyboard/shortcuts.ts'
import { type FilterObject, useListState } from '../list-state.ts'
import { conditionsIn } from './filter-tree.ts'
import { readFilter } from './read-filter.ts'

const FilterBuilder = chunk(async () => (await import('./filter-builder.tsx')).FilterBuilder)

/** A button that opens the filter builder, and says how many conditions hold. */
export function FilterPopover(props: {
  resource: ResourceName
  filter: FilterObject | undefined
  onFilter(filter: FilterObject | undefined): void
  open: boolean
  onOpenChange(open: boolean): void
  look?: 'quiet'
  /** The name of the filtered records, where a page has several filters. */
  of?: string
  /** For the changes feed, which takes no conditions that another record or the reader decides. */
  inFeed?: true
}) {
  const { resource, filter, onFilter, open, onOpenChange, look, of, inFeed } = props
  const onClose = useRef<() => void>(undefined)
  const changeOpen = (next: boolean) => {
    if (!next) onClose.current?.()
    onOpenChange(next)
  }
  const count = conditionsIn(readFilter(filter, useResource(resource)))
  return (
    <Popover open={open} onOpenChange={changeOpen}>
      <PopoverTrigger asChild>
        <Button {...(look && { look })} active={open || count > 0}>
          <ListFilter aria-hidden />
          <span className="max-sm:sr-only">Filter</span>
          {of !== undefined && <span className="sr-only"> {of}</span>}
          {count > 0 && (
            <span className="rounded-sm bg-accent px-1 text-xs font-medium text-on-accent tabular-nums">{count}</span>
          )}
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Filter" className="w-160">
        <Suspense fallback={<Skeleton className="m-4 w-60" />}>
          <FilterBuilder
            resource={resource}
            filter={filter}
            onFilter={onFilter}
            onClose={onClose}
            inFeed={inFeed ?? false}
          />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}

/** The filter of the list on the screen. */
export function FilterButton(props: { resource: ResourceName; open: boolean; onOpenChange(open: boolean): void }) {
  const { resource, open, onOpenChange: setOpen } = props
  const [{ filter }, change] = useListState()
  useShortcut('f', 'Filter', () => setOpen(true))
  return (
    <FilterPopover
      resource={resource}
      filter={filter}
      onFilter={(next) => change({ filter: next })}
      open={open}
      onOpenChange={setOpen}
      look="quiet"
    />
  )
}
