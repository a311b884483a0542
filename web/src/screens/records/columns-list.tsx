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
import type { ResourceName } from '@kith/contract/resource'
import { GripVertical } from 'lucide-react'
import { Switch } from '../../components/switch.tsx'
import type { Property } from '../../properties/property.ts'
import { iconOf } from '../../properties/property-view.ts'
import { useListProperties } from '../../properties/use-properties.ts'
import { type Column, columnOf } from './columns.ts'

export type ColumnsProps = {
  resource: ResourceName
  columns: readonly Column[]
  onColumns(columns: readonly Column[]): void
}

/** Chooses the columns of the list and their order. */
export function ColumnsList({ resource, columns, onColumns }: ColumnsProps) {
  const hidden = useListProperties(resource).filter(({ key }) => !columns.some(({ property }) => property.key === key))
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const from = columns.findIndex(({ property }) => property.key === active.id)
    const to = columns.findIndex(({ property }) => property.key === over?.id)
    if (from !== -1 && to !== -1 && from !== to) onColumns(arrayMove([...columns], from, to))
  }
  return (
    <>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={onDragEnd}>
        <SortableContext items={columns.map(({ property }) => property.key)} strategy={verticalListSortingStrategy}>
          <ul aria-label="Shown">
            {columns.map(({ property }) => (
              <ShownColumn
                key={property.key}
                property={property}
                onHide={() => onColumns(columns.filter((column) => column.property !== property))}
              />
            ))}
          </ul>
        </SortableContext>
      </DndContext>
      {hidden.length > 0 && (
        <>
          <p className="px-2 pt-2 pb-1 text-xs text-faint">Hidden</p>
          <ul aria-label="Hidden">
            {hidden.map((property) => (
              <li key={property.key} className="flex h-8 items-center gap-2 rounded-sm pr-2 pl-7 text-sm">
                <ColumnName property={property} />
                <Switch
                  aria-label={property.label}
                  checked={false}
                  onCheckedChange={() => onColumns([...columns, columnOf(property)])}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ShownColumn({ property, onHide }: { property: Property; onHide(): void }) {
  const { setNodeRef, attributes, listeners, transform, transition } = useSortable({ id: property.key })
  return (
    <li
      ref={setNodeRef}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      className="flex h-8 items-center gap-2 rounded-sm bg-raised px-2 pl-1 text-sm"
    >
      <button
        type="button"
        {...attributes}
        {...listeners}
        aria-label={`Move ${property.label}`}
        className="cursor-grab touch-none rounded-sm p-0.5 text-faint"
      >
        <GripVertical aria-hidden className="size-3.5" />
      </button>
      <ColumnName property={property} />
      <Switch aria-label={property.label} checked disabled={property.kind === 'name'} onCheckedChange={onHide} />
    </li>
  )
}

function ColumnName({ property }: { property: Property }) {
  const Icon = iconOf(property)
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate">{property.label}</span>
    </>
  )
}
