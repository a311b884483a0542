import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { GripVertical } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A list that is put in order by dragging: with the mouse, by touch, or with Space and the arrows on the handle. */
export function SortableList<Item>(props: {
  label: string
  items: readonly Item[]
  idOf(item: Item): string
  nameOf(item: Item): string
  onOrder(items: Item[]): void
  children(item: Item, index: number): ReactNode
  className?: string
  disabled?: boolean
}) {
  const { label, items, idOf, nameOf, onOrder, children, className, disabled = false } = props
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const placeOf = (id: unknown) => items.findIndex((item) => idOf(item) === id)
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const from = placeOf(active.id)
    const to = placeOf(over?.id)
    if (from !== -1 && to !== -1 && from !== to) onOrder(arrayMove([...items], from, to))
  }
  const said = (id: unknown) => {
    const item = items[placeOf(id)]
    return item === undefined ? '' : nameOf(item)
  }
  const at = (id: unknown) => `place ${placeOf(id) + 1} of ${items.length}`
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{
        screenReaderInstructions: {
          draggable: 'Space picks it up, the arrows move it, Space drops it, Escape puts it back.',
        },
        announcements: {
          onDragStart: ({ active }) => `Picked up ${said(active.id)}, ${at(active.id)}.`,
          onDragOver: ({ active, over }) => (over ? `${said(active.id)} at ${at(over.id)}.` : undefined),
          onDragEnd: ({ active, over }) => (over ? `Dropped ${said(active.id)} at ${at(over.id)}.` : undefined),
          onDragCancel: ({ active }) => `${said(active.id)} is back in its place.`,
        },
      }}
    >
      <SortableContext items={items.map(idOf)} strategy={verticalListSortingStrategy} disabled={disabled}>
        <ul aria-label={label}>
          {items.map((item, index) => (
            <SortableItem
              key={idOf(item)}
              id={idOf(item)}
              name={nameOf(item)}
              className={className}
              disabled={disabled}
            >
              {children(item, index)}
            </SortableItem>
          ))}
        </ul>
      </SortableContext>
    </DndContext>
  )
}

function SortableItem(props: {
  id: string
  name: string
  className: string | undefined
  disabled: boolean
  children: ReactNode
}) {
  const { id, name, className, disabled, children } = props
  const { setNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({ id })
  return (
    <li
      ref={setNodeRef}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      className={classNames(
        'flex items-center',
        className,
        isDragging && 'relative z-10 rounded-md bg-raised shadow-float',
      )}
    >
      {!disabled && (
        <button
          type="button"
          {...attributes}
          {...listeners}
          aria-label={`Move ${name}`}
          className="grid h-8 w-5 shrink-0 cursor-grab touch-none place-items-center rounded-sm text-faint hover:text-ink"
        >
          <GripVertical aria-hidden className="size-3.5" />
        </button>
      )}
      {children}
    </li>
  )
}
