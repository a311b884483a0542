import type { ResourceName } from '@kith/contract/resource'
import { useShortcut } from '../../../keyboard/shortcuts.ts'
import { useListState } from '../list-state.ts'
import { FilterPopover } from './filter-popover.tsx'

type Props = { resource: ResourceName; open: boolean; onOpenChange(open: boolean): void }

/** The filter of the list on the screen. */
export function FilterButton({ resource, open, onOpenChange: setOpen }: Props) {
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
