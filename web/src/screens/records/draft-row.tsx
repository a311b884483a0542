import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { nameOf } from '../../api/records.ts'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { fieldViews } from '../../fields/field-views.ts'
import { EditProperty } from '../../properties/edit-property.tsx'
import type { Property } from '../../properties/property.ts'
import { customChange, type PropertyChange } from '../../properties/property-change.ts'
import { isEditable } from '../../properties/property-view.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { appearances } from '../../resources.ts'
import type { Column } from './columns.ts'
import { useDraft } from './draft.ts'
import { CHECK_WIDTH, ROW_HEIGHT } from './row.tsx'

type Props = { resource: ResourceName; columns: readonly Column[]; onDone(): void }

/** A new record as a row of the table. Enter after the name creates it; Escape cancels. */
export function DraftRow({ resource, columns, onDone }: Props) {
  const draft = useDraft(resource)
  const [editing, setEditing] = useState<string | undefined>(() => columns[0]?.property.key)
  const finish = async (change?: PropertyChange) => {
    if (await draft.create(change)) onDone()
  }
  const begin = (property: Property) => {
    if (!isEditable(property)) return
    const next = property.kind === 'custom' ? fieldViews[property.field.type].next : undefined
    if (property.kind !== 'custom' || !next) return setEditing(property.key)
    const { field } = property
    draft.change(customChange(field, next(draft.record.attributes.custom_fields[field.code] ?? null)))
  }
  const onChange = (property: Property, change: PropertyChange) => {
    setEditing(undefined)
    if (property.kind === 'name' && nameOf({ attributes: change.shown }).trim() !== '') finish(change)
    else draft.change(change)
  }
  const onCancel = (property: Property) => {
    setEditing(undefined)
    if (property.kind === 'name' && nameOf(draft.record) === '') onDone()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) onDone()
  }
  const problems = draft.message === undefined ? [] : problemsOf(draft.errors, draft.message)
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-label={`New ${appearances[resource].one}`}
      onKeyDown={onKeyDown}
      className="relative flex bg-accent-soft text-sm"
      style={{ height: ROW_HEIGHT }}
    >
      <div
        role="gridcell"
        tabIndex={-1}
        className="sticky left-0 z-5 grid shrink-0 place-items-center border-b border-line bg-accent-soft"
        style={{ width: CHECK_WIDTH }}
      >
        <IconButton label="Discard" size="small" onClick={onDone}>
          <X />
        </IconButton>
      </div>
      {columns.map(({ property, width }, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its content takes the keys
        <div
          key={property.key}
          role="gridcell"
          tabIndex={isEditable(property) ? 0 : -1}
          onClick={() => begin(property)}
          onFocus={(event) => event.target === event.currentTarget && property.kind !== 'name' && begin(property)}
          style={{ width, ...(place === 0 ? { left: CHECK_WIDTH } : {}) }}
          className={classNames(
            'relative flex shrink-0 items-center border-r border-b border-line px-2',
            place === 0 && 'sticky z-5 bg-accent-soft',
            hasProblem(draft.errors, property) && 'outline-2 -outline-offset-2 outline-danger',
          )}
        >
          <div className="min-w-0">
            <ShowProperty property={property} record={draft.record} included={draft.included} />
          </div>
          {editing === property.key && (
            <div className="absolute inset-0 z-10">
              <EditProperty
                property={property}
                record={draft.record}
                included={draft.included}
                onChange={(change) => onChange(property, change)}
                onCancel={() => onCancel(property)}
              />
            </div>
          )}
        </div>
      ))}
      <div role="presentation" className="flex-1 border-b border-line" />
      {(problems.length > 0 || editing === undefined) && (
        <div className="absolute top-full left-10 z-20 flex max-w-120 items-center gap-3 rounded-b-md bg-raised p-2 shadow-float">
          {problems.length > 0 && (
            <p role="alert" className="text-xs text-danger">
              {problems.join(' ')}
            </p>
          )}
          <Button size="small" look="primary" disabled={draft.busy} onClick={() => finish()}>
            Create
          </Button>
        </div>
      )}
    </div>
  )
}

function problemsOf(errors: Readonly<Record<string, readonly string[]>>, message: string): readonly string[] {
  const told = Object.values(errors).flat()
  return told.length === 0 ? [message] : told
}

function hasProblem(errors: Readonly<Record<string, readonly string[]>>, property: Property): boolean {
  return Object.keys(errors).some((path) => path === property.key || path.startsWith(`${property.key}.`))
}
