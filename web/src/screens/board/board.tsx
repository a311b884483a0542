import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  type DragStartEvent,
  KeyboardCode,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  PointerSensor,
  pointerWithin,
  rectIntersection,
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
import { ErrorState } from '../../components/states.tsx'
import { putChange, useDraftsOf, withDraft } from '../../drafts/property-draft.ts'
import { propertyOf } from '../../properties/property.ts'
import type { IncludedRecords } from '../../properties/related.ts'
import { counted, useAppearance } from '../../resources.ts'
import { EMPTY, foldedIn, withFolded } from '../records/groups/folding.ts'
import { ListEnd } from '../records/list-end.tsx'
import { useBoardChoice, useBoardQuery, useCardColumns, useKeptBoardChoice, useSummedField } from './board-choice.ts'
import { BoardSkeleton } from './board-skeleton.tsx'
import { CardFace } from './card.tsx'
import { Column } from './column.tsx'
import { changeTo, columnIn, columnsOf, leftOut, useColumnTotals, valueIn } from './columns.ts'
import { RestColumn } from './rest-column.tsx'

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
  const [{ folded }, choose] = useBoardChoice(resource)
  useKeptBoardChoice(resource)
  const slug = useSlug()
  const drafts = useDraftsOf(resource, field)
  const sensors = useSensors(
    // A click opens the record; only a pull of some pixels takes the card.
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextColumn }),
  )
  const { groups = [], error } = totals
  const columns = columnsOf(field, { groups, members })
  // Records without a value have a column only if there are any.
  const present = columns.filter(({ id }) => id !== EMPTY || totals.totalsOf(id).count)
  const foldedIds = foldedIn(folded)
  const [rest, shown] = [
    present.filter(({ id }) => foldedIds.includes(id)),
    present.filter(({ id }) => !foldedIds.includes(id)),
  ]
  const fold = (id: string) => choose({ folded: withFolded(folded, id, columns) })
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
      collisionDetection={underPointer}
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
        {shown.map((column) => (
          <Column
            key={column.id}
            resource={resource}
            field={field}
            column={column}
            query={query}
            cardColumns={cardColumns}
            drafts={drafts}
            totals={totals.totalsOf(column.id)}
            summed={summed}
            movable={roleMay(role, 'update')}
            onFold={() => fold(column.id)}
          />
        ))}
        <RestColumn
          columns={rest}
          totalsOf={totals.totalsOf}
          summed={summed}
          dragging={held !== undefined}
          onUnfold={fold}
        />
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

/** Folded columns are lower than a card, so the pointer says which one is meant. Keys move the card to its middle. */
const underPointer: CollisionDetection = (context) => {
  const under = pointerWithin(context)
  return under.length > 0 ? under : rectIntersection(context)
}

/** Left and right move a dragged card to the next column. */
const toNextColumn: KeyboardCoordinateGetter = (event, { context: { droppableRects, over, collisionRect } }) => {
  const step = event.code === KeyboardCode.Right ? 1 : event.code === KeyboardCode.Left ? -1 : 0
  if (step === 0 || !collisionRect) return undefined
  event.preventDefault()
  const columns = [...droppableRects].sort(([, a], [, b]) => a.left - b.left || a.top - b.top)
  const middle = collisionRect.left + collisionRect.width / 2
  const current = over
    ? columns.findIndex(([id]) => id === over.id)
    : columns.findIndex(([, rect]) => middle >= rect.left && middle <= rect.right)
  const next = columns[current + step]?.[1]
  if (!next) return undefined
  const { left, top, width, height } = next
  return { x: left + (width - collisionRect.width) / 2, y: top + (height - collisionRect.height) / 2 }
}
