import { Pencil } from 'lucide-react'
import { memo, type ReactNode, useEffect, useRef } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { Avatar } from '../../components/avatar.tsx'
import { classNames } from '../../components/class-names.ts'
import { DraftedProperty } from '../../properties/drafted-property.tsx'
import type { Property } from '../../properties/property.ts'
import { type PropertyDraft, usePropertyDraft } from '../../properties/property-draft.ts'
import { isAlignedEnd, isEditable, leadsAway } from '../../properties/property-view.ts'
import { RecordLink } from '../../properties/record-link.tsx'
import { type Included, withIncluded } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { avatarOf } from '../../resources.ts'
import { CellNote } from './cell-note.tsx'
import { useGrid } from './grid-state.ts'

type Props = {
  property: Property
  record: ApiRecord
  included: Included
  row: number
  column: number
  active: boolean
  editing: boolean
}

/** One value of one record. A click edits it; only the name leads to the record. */
export const Cell = memo(function Cell(props: Props) {
  const { property, record, row, column, active, editing } = props
  const grid = useGrid()
  const own = usePropertyDraft(property, record, editing)
  const { draft, shown } = own
  const included = withIncluded(props.included, draft?.change.included)
  const edit = () => grid.enter(row, column, true)
  useReopened(own, edit, { active, editing })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid listens for keys on behalf of its cells
    <div
      role="gridcell"
      aria-colindex={column + 2}
      data-row={row}
      data-column={column}
      tabIndex={active ? 0 : -1}
      onClick={() => !editing && edit()}
      className={classNames(
        'group/cell relative flex h-full min-w-0 items-center px-2 -outline-offset-2 focus:outline-2 focus:outline-accent',
        isAlignedEnd(property) && 'justify-end',
      )}
    >
      <div aria-busy={draft !== undefined} className={classNames('min-w-0 max-w-full', draft && 'opacity-60')}>
        {property.kind === 'name' ? (
          <div className="flex min-w-0 items-center gap-2">
            {record.type === 'tasks' && <TaskCheck task={record} tabIndex={-1} />}
            <NameLink record={shown}>
              <ShowProperty property={property} record={shown} included={included} />
            </NameLink>
          </div>
        ) : (
          <ShowProperty property={property} record={shown} included={included} />
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
          <DraftedProperty property={property} own={own} included={included} onClose={grid.close} onReopen={edit} />
        </div>
      )}
      {draft && draft.state !== 'waiting' && !editing && (
        <CellNote {...props} included={included} own={own} onEdit={edit} />
      )}
    </div>
  )
})

/** Opens the editor of this cell again when its value was refused, unless the user went on to another cell. */
function useReopened({ draft }: PropertyDraft, edit: () => void, { active, editing }: Editing): void {
  // The page beside the list may have edited the same value.
  const wasEdited = useRef(false)
  if (editing) wasEdited.current = true
  const refused = draft?.state === 'refused' ? draft.key : undefined
  const known = useRef(refused)
  useEffect(() => {
    if (refused === undefined || refused === known.current) return
    known.current = refused
    if (wasEdited.current && active && !editing) edit()
  })
}

type Editing = { active: boolean; editing: boolean }

function NameLink({ record, children }: { record: ApiRecord; children: ReactNode }) {
  const { type, id } = record
  return (
    <RecordLink resource={type} id={id} className="flex min-w-0 items-center gap-2 hover:underline">
      {avatarOf(type) && <Avatar name={nameOf(record)} shape={avatarOf(type)} />}
      {children}
    </RecordLink>
  )
}
