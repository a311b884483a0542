import type { ResourceName } from '@kith/contract/resource'
import { SquareKanban, Table2 } from 'lucide-react'
import { IconButton } from '../../components/icon-button.tsx'
import { useListState } from '../records/list-state.ts'
import { useBoardField } from './board-field.ts'

/** Table or board. Nothing where no field could make the columns. */
export function LayoutSwitch({ resource }: { resource: ResourceName }) {
  const [state, change] = useListState()
  const field = useBoardField(resource)
  if (!field) return null
  const isBoard = state.layout === 'board'
  return (
    <div className="flex items-center gap-0.5">
      {/* Where room is short, the one that is shown needs no button. */}
      <IconButton
        label="Table"
        aria-pressed={!isBoard}
        active={!isBoard}
        className={isBoard ? undefined : 'max-sm:hidden'}
        onClick={() => change({ layout: undefined })}
      >
        <Table2 />
      </IconButton>
      <IconButton
        label="Board"
        aria-pressed={isBoard}
        active={isBoard}
        className={isBoard ? 'max-sm:hidden' : undefined}
        onClick={() => change({ layout: 'board' })}
      >
        <SquareKanban />
      </IconButton>
    </div>
  )
}
