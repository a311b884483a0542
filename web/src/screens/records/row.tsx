import { GripVertical, Pencil } from 'lucide-react'
import { memo, type ReactNode, Suspense, useDeferredValue, useEffect, useRef, useState } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { classNames } from '../../components/class-names.ts'
import { Skeleton } from '../../components/states.tsx'
import { DraftedProperty, DraftNote } from '../../drafts/drafted-property.tsx'
import { type PropertyDraft, usePropertyDraft } from '../../drafts/property-draft.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import type { Property } from '../../properties/property.ts'
import { isAlignedEnd, isEditable, leadsAway } from '../../properties/property-view.ts'
import { RecordLink } from '../../properties/record-link.tsx'
import { type IncludedRecords, withIncluded } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { avatarOf } from '../../resources.ts'
import type { Column } from './columns.ts'
import { useGrid } from './grid-state.ts'
import { useMovesHere } from './groups/use-moves.ts'
import type { RecordRow as FoundRow } from './record-window.ts'

// A conflict is an answer of the service, so the file can be loaded.
const ConflictDialog = chunk(async () => (await import('../../drafts/conflict-panel.tsx')).ConflictDialog)

/** One value of one record. A click edits it; only the name leads to the record. */
const Cell = memo(function Cell(props: {
  property: Property
  record: ApiRecord
  included: IncludedRecords
  row: number
  column: number
  active: boolean
  editing: boolean
}) {
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
        'group/cell relative flex h-full min-w-0 items-center px-2 -outline-offset-2 outline-accent focus-visible:outline-2',
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

export const ROW_HEIGHT = 36

export const CHECK_WIDTH = 40

/** One record on one line; an outline of it until it has come. */
export const Row = memo(function Row(props: {
  row: number
  top: number
  found: FoundRow | undefined
  columns: readonly Column[]
  selected: boolean
  /** The current column, where this is the current row. */
  activeColumn: number | undefined
  editing: boolean
}) {
  const { row, top, found: known, columns, selected, ...rest } = props
  const { activeColumn, editing } = rest
  const grid = useGrid()
  // A page fills all outlines at once. React draws what is deferred in small steps, so that no task is long.
  // The current row comes at once, because its cell takes the focus.
  const arrived = useDeferredValue(known) !== undefined || activeColumn !== undefined
  const found = arrived ? known : undefined
  const moves = useMovesHere()
  const surface = selected ? 'bg-selected' : 'bg-paper group-hover:bg-hover'
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      aria-selected={selected}
      style={{ transform: `translateY(${top}px)`, height: ROW_HEIGHT }}
      className={classNames('group absolute inset-x-0 flex text-sm has-[[data-note]]:z-15', editing && 'z-15')}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        style={{ width: CHECK_WIDTH }}
        draggable={moves && found !== undefined}
        onDragStart={({ dataTransfer }) => {
          dataTransfer.effectAllowed = 'move'
          dataTransfer.setData('text/plain', found ? nameOf(found.record) : '')
          moves?.drag(found)
        }}
        onDragEnd={() => moves?.drag(undefined)}
        className={classNames(
          'sticky left-0 z-5 grid shrink-0 place-items-center border-b border-line',
          surface,
          moves && 'cursor-grab',
        )}
      >
        {moves && found && (
          <GripVertical aria-hidden className="absolute left-0 size-3.5 text-faint opacity-0 group-hover:opacity-100" />
        )}
        {found && (
          <input
            type="checkbox"
            aria-label={`Select ${nameOf(found.record)}`}
            checked={selected}
            tabIndex={-1}
            onChange={(event) => grid.select(row, found.record, { on: !selected, range: isShifted(event.nativeEvent) })}
            className={classNames(
              'tick',
              !selected && 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100',
            )}
          />
        )}
      </div>
      {found &&
        columns.map(({ property, width }, column) => (
          <div
            key={property.key}
            role="presentation"
            style={{ width, ...(column === 0 ? { left: CHECK_WIDTH } : {}) }}
            className={classNames('shrink-0 border-r border-b border-line', surface, column === 0 && 'sticky z-5')}
          >
            <Cell
              property={property}
              record={found.record}
              included={found.included}
              row={row}
              column={column}
              active={activeColumn === column}
              editing={editing && activeColumn === column}
            />
          </div>
        ))}
      {!found && <Outline columns={columns} surface={surface} />}
      <div role="presentation" className={classNames('flex-1 border-b border-line', surface)} />
    </div>
  )
})

/** Few elements: a jump in a long list draws a whole screen of them at once. */
function Outline({ columns, surface }: { columns: readonly Column[]; surface: string }) {
  return (
    <div
      role="gridcell"
      aria-colindex={2}
      aria-colspan={columns.length}
      className={classNames('sticky flex shrink-0 items-center border-b border-line px-2', surface)}
      style={{ left: CHECK_WIDTH, width: columns[0]?.width }}
    >
      <Skeleton className="w-32" />
    </div>
  )
}

/** A tick with Shift held ticks all rows from the last one on. */
function isShifted(event: Event): boolean {
  return event instanceof MouseEvent && event.shiftKey
}

/** Opens the editor of this cell again when its value was refused, unless the user went on to another cell. */
function useReopened(
  { draft }: PropertyDraft,
  edit: () => void,
  { active, editing }: { active: boolean; editing: boolean },
): void {
  // The page next to the list may have edited the same value.
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

function NameLink({ record, children }: { record: ApiRecord; children: ReactNode }) {
  const { type, id } = record
  return (
    <RecordLink resource={type} id={id} className="flex min-w-0 items-center gap-2 hover:underline">
      {avatarOf(type) && <Avatar name={nameOf(record)} shape={avatarOf(type)} />}
      {children}
    </RecordLink>
  )
}

/** Hangs below a cell whose value is not saved, and says why. */
function CellNote(props: {
  property: Property
  record: ApiRecord
  included: IncludedRecords
  own: PropertyDraft
  onEdit(): void
}) {
  const { property, record, included, own, onEdit } = props
  const [comparing, setComparing] = useState(false)
  const { draft } = own
  if (!draft) return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click on the note is not a click on the cell
    // biome-ignore lint/a11y/useKeyWithClickEvents: its buttons take the keys
    <div
      data-note
      onClick={(event) => event.stopPropagation()}
      className="absolute top-full left-0 z-20 w-72 rounded-md bg-raised p-2 shadow-float"
    >
      <DraftNote own={own} onEdit={onEdit} />
      {draft.state === 'conflict' && (
        <div role="alert" className="flex items-center gap-2 text-xs whitespace-normal text-danger">
          <span className="min-w-0 flex-1">Not saved: {own.problem}</span>
          <Button size="small" onClick={() => setComparing(true)}>
            Compare
          </Button>
        </div>
      )}
      {comparing && (
        <Suspense>
          <ConflictDialog
            property={property}
            record={record}
            included={included}
            draft={draft}
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
    </div>
  )
}
