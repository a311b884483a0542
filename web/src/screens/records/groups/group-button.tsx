import type { ResourceName } from '@kith/contract/resource'
import { Check, Layers } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from '../../../components/menu.tsx'
import { iconOf } from '../../../properties/property-view.ts'
import { useSummedField } from '../../board/board-choice.ts'
import { withMeasure } from '../footers/measures.ts'
import { useListState } from '../list-state.ts'
import { foldableOptions, foldedIn, withFolded } from './folding.ts'
import { useGrouping, useGroupings } from './grouping.ts'

/** Chooses the grouping of the list. */
export function GroupButton({ resource }: { resource: ResourceName }) {
  const [{ footers, folded }, change] = useListState()
  const summed = useSummedField(resource)
  const groupings = useGroupings(resource)
  const grouping = useGrouping(resource)
  const options = grouping?.property.kind === 'custom' ? foldableOptions(grouping.property.field) : []
  const shown = grouping ? `Group: ${grouping.property.label}` : 'Group'
  const choose = (by: string) => {
    // Groups of amounts have sums, unless another measure was chosen.
    const sum =
      footers === undefined && summed ? withMeasure(undefined, `custom_fields.${summed.code}`, 'sum') : footers
    change(by === grouping?.by ? { group_by: undefined } : { group_by: by, footers: sum, folded: undefined })
  }
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button look="quiet" active={grouping !== undefined}>
          <Layers aria-hidden />
          <span className="max-w-40 truncate max-lg:sr-only">{shown}</span>
        </Button>
      </MenuTrigger>
      <MenuContent>
        {groupings.map(({ by, property }) => {
          const Icon = iconOf(property)
          return (
            <MenuItem key={by} icon={by === grouping?.by ? <Check /> : <Icon />} onSelect={() => choose(by)}>
              {property.label}
            </MenuItem>
          )
        })}
        {grouping && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => change({ group_by: undefined })}>No groups</MenuItem>
            {options.length > 0 && <MenuLabel>Shown groups</MenuLabel>}
            {options.map(({ id, label }) => {
              const isShown = !foldedIn(folded).includes(id)
              return (
                <MenuItem
                  key={id}
                  icon={isShown ? <Check /> : <span className="size-4" />}
                  onSelect={(event) => {
                    // The menu stays, for the next one.
                    event.preventDefault()
                    change({ folded: withFolded(folded, id, options) })
                  }}
                >
                  {label}
                  <span className="sr-only">{isShown ? ' (shown)' : ' (folded)'}</span>
                </MenuItem>
              )
            })}
          </>
        )}
      </MenuContent>
    </Menu>
  )
}
