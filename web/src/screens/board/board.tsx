import {
  type Announcements,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  type DragStartEvent,
  KeyboardCode,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  PointerSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { fieldTypes } from '@kith/contract/field-types'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { useMembers } from '../../api/members.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { ErrorState } from '../../components/states.tsx'
import { putChange, useDraftsOf, withDraft } from '../../drafts/property-draft.ts'
import { formatNumber } from '../../format/numbers.ts'
import { propertyOf } from '../../properties/property.ts'
import type { IncludedRecords } from '../../properties/related.ts'
import { counted, useAppearance } from '../../resources.ts'
import { ListEnd } from '../records/list-end.tsx'
import { useBoardChoice, useBoardQuery, useCardColumns, useKeptBoardChoice, useSummedField } from './board-choice.ts'
import { BoardSkeleton } from './board-skeleton.tsx'
import { CardFace } from './card.tsx'
import { Column } from './column.tsx'
import { type BoardColumn, changeTo, columnIn, columnsOf, EMPTY, leftOut, useColumnTotals, valueIn } from './columns.ts'

/**
 * The records of a list as cards, a column for each option of a field. Cards are dragged by mouse, touch or keyboard.
 */
export function Board({ resource, field }: { resource: ResourceName; field: Field }) {
  const query = useBoardQuery(resource)
  const [cardColumns] = useCardColumns(resource)
  const [held, setHeld] = useState<CardContent>()
  const { role } = useWorkspace()
  const summed = useSummedField(resource)
  const totals = useColumnTotals(resource, { filter: query.filter, field, summed })
  const members = useMembers()
  const [{ folded = '' }, choose] = useBoardChoice(resource)
  useKeptBoardChoice(resource)
  const foldedIds = folded.split(',').filter(Boolean)
  const fold = (id: string, on: boolean) => {
    const others = foldedIds.filter((one) => one !== id)
    choose({ folded: (on ? [...others, id] : others).join(',') })
  }
  const slug = useSlug()
  const drafts = useDraftsOf(resource, field)
  const sensors = useSensors(
    // A click opens the record; only a pull of some pixels takes the card.
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextColumn }),
  )
  const { groups = [], error } = totals
  const columns = columnsOf(field, { groups, members })
  const drop = ({ active, over }: DragEndEvent) => {
    setHeld(undefined)
    const record = heldBy(active)?.record
    const to = columns.find(({ id }) => id === over?.id)
    if (!record || !to || columnIn(withDraft(record, drafts.get(record.id)), field) === to.id) return
    const before = valueIn(record, field, columns)
    const told = { message: `Moved ${nameOf(record)} to ${to.label}`, undo: changeTo(field, before) }
    const change = changeTo(field, to.value)
    putChange({ slug, property: propertyOf(field), record, told, direct: true }, change, 'waiting')
  }
  // Without the groups there are no columns.
  const isReference = fieldTypes[field.type].refersTo !== undefined
  if (isReference && error) return <ErrorState error={error} onRetry={totals.refetch} />
  if (isReference && !totals.groups) return <BoardSkeleton columns={4} />
  return (
    <DndContext
      sensors={sensors}
      accessibility={{ announcements: announcements(columns), screenReaderInstructions: { draggable: instructions } }}
      onDragStart={({ active }: DragStartEvent) => setHeld(heldBy(active))}
      onDragEnd={drop}
      onDragCancel={() => setHeld(undefined)}
    >
      {totals.isEmpty && (
        <div className="relative">
          <div className="absolute inset-x-4 top-20 z-10 mx-auto w-fit rounded-lg border border-line bg-paper">
            <ListEnd resource={resource} list={{ total: 0, error: null, retry: totals.refetch }} />
          </div>
        </div>
      )}
      <div className="flex min-h-0 flex-1 gap-2 overflow-x-auto px-3 py-3 md:px-4">
        {columns.map((column) => {
          const own = totals.totalsOf(column.id)
          // Records without a value have a column only if there are any.
          if (column.id === EMPTY && !own.count) return null
          if (foldedIds.includes(column.id)) {
            return (
              <FoldedColumn key={column.id} column={column} count={own.count} onUnfold={() => fold(column.id, false)} />
            )
          }
          return (
            <Column
              key={column.id}
              resource={resource}
              field={field}
              column={column}
              query={query}
              cardColumns={cardColumns}
              drafts={drafts}
              totals={own}
              summed={summed}
              movable={roleMay(role, 'update')}
              onFold={() => fold(column.id, true)}
            />
          )
        })}
        {isReference && <LeftOut resource={resource} count={leftOut(groups, columns)} />}
      </div>
      <DragOverlay dropAnimation={null}>
        {held && (
          <div className="rotate-1 cursor-grabbing">
            <CardFace {...held} columns={cardColumns} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  )
}

/** What is said in place of the columns that are too many. */
function LeftOut({ resource, count }: { resource: ResourceName; count: number }) {
  const words = useAppearance(resource)
  if (count === 0) return null
  return (
    <p className="w-44 shrink-0 p-3 text-xs text-quiet">
      {counted(count, words)} {count === 1 ? 'is' : 'are'} in further columns. Filter the list to see them.
    </p>
  )
}

const instructions =
  'Press space to pick up the card, the left and right arrow keys to choose a column, space to put it down, escape to leave it where it was.'

function announcements(columns: readonly { id: string; label: string }[]): Announcements {
  const name = (one: { data: { current?: unknown } }) => nameOf(heldBy(one)?.record ?? { attributes: {} })
  const label = (id: unknown) => columns.find((column) => column.id === id)?.label ?? 'no column'
  return {
    onDragStart: ({ active }) => `Picked up ${name(active)}.`,
    onDragOver: ({ active, over }) => `${name(active)} is over ${label(over?.id)}.`,
    onDragEnd: ({ active, over }) => `${name(active)} was put into ${label(over?.id)}.`,
    onDragCancel: ({ active }) => `${name(active)} stays where it was.`,
  }
}

type CardContent = { record: ApiRecord; included: IncludedRecords }

/** Each card carries its record and the included ones. */
function heldBy({ data }: { data: { current?: unknown } }): CardContent | undefined {
  const { current } = data
  // Cards set it.
  return typeof current === 'object' && current !== null && 'record' in current ? (current as CardContent) : undefined
}

/** Left and right move a dragged card to the next column. */
const toNextColumn: KeyboardCoordinateGetter = (event, { context: { droppableRects, over, collisionRect } }) => {
  const step = event.code === KeyboardCode.Right ? 1 : event.code === KeyboardCode.Left ? -1 : 0
  if (step === 0 || !collisionRect) return undefined
  event.preventDefault()
  const columns = [...droppableRects].sort(([, a], [, b]) => a.left - b.left)
  const middle = collisionRect.left + collisionRect.width / 2
  const current = over
    ? columns.findIndex(([id]) => id === over.id)
    : columns.findIndex(([, rect]) => middle >= rect.left && middle <= rect.right)
  const next = columns[current + step]?.[1]
  return next && { x: next.left + (next.width - collisionRect.width) / 2, y: collisionRect.top }
}

/** A column as a strip: its name and count. Cards can be dropped on it, and a click unfolds it. */
function FoldedColumn(props: { column: BoardColumn; count: number | undefined; onUnfold(): void }) {
  const { column, count, onUnfold } = props
  const { setNodeRef, isOver } = useDroppable({ id: column.id })
  return (
    <section
      ref={setNodeRef}
      aria-label={`${column.label}, folded`}
      className={classNames(
        'flex w-10 shrink-0 flex-col rounded-lg bg-sunk',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <button
        type="button"
        aria-expanded={false}
        aria-label={`Unfold ${column.label}`}
        onClick={onUnfold}
        className="flex min-h-0 flex-1 flex-col items-center gap-2 rounded-lg py-3 text-xs hover:bg-hover"
      >
        <span data-numeric className="text-quiet">
          {count === undefined ? '' : formatNumber(count)}
        </span>
        <span className="min-h-0 truncate font-medium [writing-mode:vertical-rl]">{column.label}</span>
      </button>
    </section>
  )
}
