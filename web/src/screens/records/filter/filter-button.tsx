import type { ResourceName } from '@kith/contract/resource'
import { useState } from 'react'
import { useShortcut } from '../../../keyboard/shortcuts.ts'
import { useListState } from '../list-state.ts'
import { FilterPopover } from './filter-popover.tsx'

/** The filter of the list on the screen. */
export function FilterButton({ resource }: { resource: ResourceName }) {
  const [{ filter }, change] = useListState()
  const [open, setOpen] = useState(false)
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
