import { Columns3 } from 'lucide-react'
import { Suspense } from 'react'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { ColumnsProps } from './columns-list.tsx'

const ColumnsList = chunk(async () => (await import('./columns-list.tsx')).ColumnsList)

/** Opens the choice of columns. */
export function ColumnsButton(props: ColumnsProps) {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button look="quiet">
          <Columns3 aria-hidden />
          <span className="max-md:sr-only">Columns</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Columns" className="w-68 p-1.5">
        <Suspense fallback={<Skeleton className="m-2 w-40" />}>
          <ColumnsList {...props} />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}
