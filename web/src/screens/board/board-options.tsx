import type { ResourceName } from '@kith/contract/resource'
import { SlidersHorizontal } from 'lucide-react'
import { Suspense } from 'react'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { Select } from '../../components/select.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useListState } from '../records/list-state.ts'
import { useBoardField, useBoardFields } from './board-field.ts'
import { useCardColumns } from './card-columns.ts'

const ColumnsList = chunk(async () => (await import('../records/columns-list.tsx')).ColumnsList)

/** How a board is arranged: what makes its columns and what is on its cards. */
export function BoardOptions({ resource }: { resource: ResourceName }) {
  const [cards, chooseCards] = useCardColumns(resource)
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button look="quiet">
          <SlidersHorizontal aria-hidden />
          <span className="max-md:sr-only">Display</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Display" className="w-72 p-1.5">
        <ColumnsBy resource={resource} />
        <p className="px-2 pt-2 pb-1 text-xs text-faint">On the cards</p>
        <Suspense fallback={<Skeleton className="m-2 w-40" />}>
          <ColumnsList resource={resource} columns={cards} onColumns={chooseCards} />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}

function ColumnsBy({ resource }: { resource: ResourceName }) {
  const [, change] = useListState()
  const fields = useBoardFields(resource)
  const field = useBoardField(resource)
  if (!field || fields.length < 2) return null
  return (
    <div className="flex items-center gap-2 p-1.5 text-sm">
      <span className="w-20 shrink-0 text-xs text-quiet">Columns by</span>
      <Select
        label="Columns by"
        value={field.code}
        // Other columns have other options.
        onValueChange={(group_by) => change({ group_by, folded: undefined })}
        choices={fields.map(({ code, name }) => ({ value: code, label: name }))}
      />
    </div>
  )
}
