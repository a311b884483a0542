import type { ResourceName } from '@kith/contract/resource'
import { Check, Layers } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../../components/menu.tsx'
import { iconOf } from '../../../properties/property-view.ts'
import { useListState } from '../list-state.ts'
import { useGrouping, useGroupings } from './grouping.ts'

/** Chooses what the list is grouped by. */
export function GroupButton({ resource }: { resource: ResourceName }) {
  const [, change] = useListState()
  const groupings = useGroupings(resource)
  const grouping = useGrouping(resource)
  const shown = grouping ? `Group: ${grouping.property.label}` : 'Group'
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button look="quiet" active={grouping !== undefined} className="min-w-0 shrink">
          <Layers aria-hidden />
          <span className="truncate max-lg:sr-only">{shown}</span>
        </Button>
      </MenuTrigger>
      <MenuContent>
        {groupings.map(({ by, property }) => {
          const Icon = iconOf(property)
          return (
            <MenuItem
              key={by}
              icon={by === grouping?.by ? <Check /> : <Icon />}
              onSelect={() => change({ group_by: by === grouping?.by ? undefined : by })}
            >
              {property.label}
            </MenuItem>
          )
        })}
        {grouping && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => change({ group_by: undefined })}>No groups</MenuItem>
          </>
        )}
      </MenuContent>
    </Menu>
  )
}
