import { Pencil } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { Avatar } from '../../components/avatar.tsx'
import { classNames } from '../../components/class-names.ts'
import { EditProperty } from '../../properties/edit-property.tsx'
import type { Property } from '../../properties/property.ts'
import { isAlignedEnd, isEditable, leadsAway } from '../../properties/property-view.ts'
import { RecordLink } from '../../properties/record-link.tsx'
import type { Included } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { avatarOf } from '../../resources.ts'
import { useGrid } from './grid-state.ts'

type Props = {
  property: Property
  record: ApiRecord
  included: Included
  row: number
  column: number
  active: boolean
  editing: boolean
  failure: string | undefined
}

/** One value of one record. A click edits it; only the name leads to the record. */
export const Cell = memo(function Cell(props: Props) {
  const { property, record, included, row, column, active, editing, failure } = props
  const grid = useGrid()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid listens for keys on behalf of its cells
    <div
      role="gridcell"
      aria-colindex={column + 2}
      data-row={row}
      data-column={column}
      tabIndex={active ? 0 : -1}
      onClick={() => !editing && grid.enter(row, column, true)}
      className={classNames(
        'group/cell relative flex h-full min-w-0 items-center px-2 -outline-offset-2 focus:outline-2 focus:outline-accent',
        isAlignedEnd(property) && 'justify-end',
      )}
    >
      <div className="min-w-0 max-w-full">
        {property.kind === 'name' ? (
          <div className="flex min-w-0 items-center gap-2">
            {record.type === 'tasks' && <TaskCheck task={record} tabIndex={-1} />}
            <NameLink record={record}>
              <ShowProperty property={property} record={record} included={included} />
            </NameLink>
          </div>
        ) : (
          <ShowProperty property={property} record={record} included={included} />
        )}
      </div>
      {grid.mayEdit && isEditable(property) && leadsAway(property) && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Edit ${property.label}`}
          className="absolute right-1 hidden size-6 place-items-center rounded-sm border border-line bg-paper text-faint group-hover/cell:grid hover:text-ink"
        >
          <Pencil aria-hidden className="size-3.5" />
        </button>
      )}
      {editing && (
        <div className="absolute inset-0 z-10">
          <EditProperty
            property={property}
            record={record}
            included={included}
            onChange={(change) => grid.save(record, property, change)}
            onCancel={grid.cancel}
          />
        </div>
      )}
      {failure !== undefined && (
        <p
          role="alert"
          className="absolute top-full left-0 z-20 w-64 rounded-md bg-raised p-2 text-xs whitespace-normal text-danger shadow-float"
        >
          {failure}
        </p>
      )}
    </div>
  )
})

function NameLink({ record, children }: { record: ApiRecord; children: ReactNode }) {
  const { type, id } = record
  return (
    <RecordLink resource={type} id={id} className="flex min-w-0 items-center gap-2 hover:underline">
      {avatarOf(type) && <Avatar name={nameOf(record)} shape={avatarOf(type)} />}
      {children}
    </RecordLink>
  )
}
