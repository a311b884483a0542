import type { ResourceName } from '@kith/contract/resource'
import { useState } from 'react'
import { Input } from '../../components/controls.tsx'
import { SortableList } from '../../components/sortable-list.tsx'
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
  /** Columns that the search does not find stay in their places. */
  const order = (found: Column[]) => {
    const next = found.values()
    onColumns(columns.map((column) => (shown.includes(column) ? (next.next().value ?? column) : column)))
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
      <SortableList
        label="Shown"
        items={shown}
        idOf={({ property }) => property.key}
        nameOf={({ property }) => property.label}
        onOrder={order}
        className="h-8 gap-2 rounded-sm bg-raised pr-2 pl-0.5 text-sm"
      >
        {({ property }) => (
          <>
            <ColumnName property={property} />
            <Switch
              aria-label={property.label}
              checked
              disabled={property.kind === 'name'}
              onCheckedChange={() => onColumns(columns.filter((column) => column.property !== property))}
            />
          </>
        )}
      </SortableList>
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

function ColumnName({ property }: { property: Property }) {
  const Icon = iconOf(property)
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1 truncate">{property.label}</span>
    </>
  )
}
