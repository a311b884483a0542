import type { ResourceName } from '@kith/contract/resource'
import { ArrowUpDown } from 'lucide-react'
import { Suspense } from 'react'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useListState } from './list-state.ts'
import { sortKeysIn } from './sorting.ts'

const SortList = chunk(async () => (await import('./sort-list.tsx')).SortList)

/** Opens the order of the list, and says by how many keys it is sorted. */
export function SortButton({ resource }: { resource: ResourceName }) {
  const [{ sort }] = useListState()
  const { length } = sortKeysIn(sort)
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button look="quiet" active={length > 0}>
          <ArrowUpDown aria-hidden />
          <span className="max-lg:sr-only">Sort</span>
          {length > 0 && (
            <span className="rounded-sm bg-accent px-1 text-xs font-medium text-on-accent tabular-nums">{length}</span>
          )}
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Sort" className="w-100 p-3">
        <Suspense fallback={<Skeleton className="m-2 w-40" />}>
          <SortList resource={resource} />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}
