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
import { useState } from 'react'
import { Input } from '../../components/controls.tsx'
import { Switch } from '../../components/switch.tsx'
import { type Property, useListProperties } from '../../properties/property.ts'
import { iconOf, sectionOf } from '../../properties/property-view.ts'
import { type Column, columnOf } from './columns.ts'

export type ColumnsProps = {
  resource: ResourceName
  columns: readonly Column[]
  onColumns(columns: readonly Column[]): void
}

/** With more properties than this, there is a search and the hidden ones have sections. */
const MANY = 12

/** Chooses the columns of the list and their order. */
export function ColumnsList({ resource, columns, onColumns }: ColumnsProps) {
  const properties = useListProperties(resource)
  const [typed, setTyped] = useState('')
  const many = properties.length > MANY
  const isFound = ({ label }: Property) => label.toLowerCase().includes(typed.trim().toLowerCase())
  const shown = columns.filter(({ property }) => isFound(property))
  const hidden = properties.filter((one) => isFound(one) && !columns.some(({ property }) => property.key === one.key))
  const sections = many ? Map.groupBy(hidden, sectionOf) : new Map([['Hidden', hidden]])
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
      {many && (
        <Input
          type="search"
          aria-label="Search fields"
          placeholder="Search fields"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="mb-1"
        />
      )}
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={onDragEnd}>
        <SortableContext items={shown.map(({ property }) => property.key)} strategy={verticalListSortingStrategy}>
          <ul aria-label="Shown">
            {shown.map(({ property }) => (
              <ShownColumn
                key={property.key}
                property={property}
                onHide={() => onColumns(columns.filter((column) => column.property !== property))}
              />
            ))}
          </ul>
        </SortableContext>
      </DndContext>
      {[...sections].map(
        ([section, properties]) =>
          properties.length > 0 && (
            <section key={section} aria-label={section}>
              <p className="px-2 pt-2 pb-1 text-xs text-faint">{section}</p>
              <ul>
                {properties.map((property) => (
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
            </section>
          ),
      )}
      {shown.length + hidden.length === 0 && <p className="px-2 py-3 text-sm text-quiet">No field is called that.</p>}
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
