import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { ListFilter } from 'lucide-react'
import { Suspense, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import { chunk } from '../../../components/chunk.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import type { FilterObject } from '../list-state.ts'
import { conditionsIn } from './filter-tree.ts'
import { readFilter } from './read-filter.ts'

const FilterBuilder = chunk(async () => (await import('./filter-builder.tsx')).FilterBuilder)

type Props = {
  resource: ResourceName
  filter: FilterObject | undefined
  onFilter(filter: FilterObject | undefined): void
  open: boolean
  onOpenChange(open: boolean): void
  look?: 'quiet'
  /** What is filtered, where a page has several filters. */
  of?: string
  /** For the changes feed, which takes no conditions that another record or the reader decides. */
  inFeed?: true
}

/** A button that opens the filter builder, and says how many conditions hold. */
export function FilterPopover({ resource, filter, onFilter, open, onOpenChange, look, of, inFeed }: Props) {
  const onClose = useRef<() => void>(undefined)
  const changeOpen = (next: boolean) => {
    if (!next) onClose.current?.()
    onOpenChange(next)
  }
  const count = conditionsIn(readFilter(filter, registry[resource]))
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
