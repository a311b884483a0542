import type { ResourceName } from '@kith/contract/resource'
import { SquareKanban, Table2 } from 'lucide-react'
import { IconButton } from '../../components/icon-button.tsx'
import { Select } from '../../components/select.tsx'
import { useListState } from '../records/list-state.ts'
import { useBoardField, useBoardFields } from './board-field.ts'

/** Table or board, and which field makes the columns. Nothing where no field could. */
export function LayoutSwitch({ resource }: { resource: ResourceName }) {
  const [state, change] = useListState()
  const fields = useBoardFields(resource)
  const field = useBoardField(resource)
  if (!field) return null
  const isBoard = state.layout === 'board'
  return (
    <div className="flex items-center gap-0.5">
      {isBoard && fields.length > 1 && (
        <Select
          label="Columns by"
          value={field.code}
          onValueChange={(group_by) => change({ group_by })}
          choices={fields.map(({ code, name }) => ({ value: code, label: name }))}
          className="max-sm:hidden"
        />
      )}
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
