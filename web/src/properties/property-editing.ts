import type { WireValue } from '@kith/contract/field-type'
import { roleMay } from '@kith/contract/permissions'
import { useState } from 'react'
import { useRecordUpdate } from '../api/record-changes.ts'
import type { ApiRecord } from '../api/records.ts'
import { useWorkspace } from '../api/workspace.ts'
import { fieldViews } from '../fields/field-views.ts'
import type { Property } from './property.ts'
import { customChange, type PropertyChange } from './property-change.ts'
import { isEditable } from './property-view.ts'

/** The state of one value that can be edited in place. */
type PropertyEditing = {
  editable: boolean
  editing: boolean
  /** Why the last change was refused, until the next one begins. */
  failure: string | undefined
  /** Opens the editor, or changes at once what changes at a click. */
  begin(): void
  save(change: PropertyChange): void
  cancel(): void
}

export function usePropertyEditing(property: Property, record: ApiRecord): PropertyEditing {
  const [editing, setEditing] = useState(false)
  const { role } = useWorkspace()
  const update = useRecordUpdate(record.type)
  const save = (change: PropertyChange) => {
    setEditing(false)
    update.mutate({ id: record.id, ...change })
  }
  const begin = () => {
    update.reset()
    const following = nextValue(property, record)
    if (property.kind === 'custom' && following !== undefined) save(customChange(property.field, following))
    else setEditing(true)
  }
  return {
    editable: isEditable(property) && roleMay(role, 'update'),
    editing,
    failure: update.error?.message,
    begin,
    save,
    cancel: () => setEditing(false),
  }
}

function nextValue(property: Property, { attributes }: ApiRecord): WireValue | undefined {
  if (property.kind !== 'custom') return undefined
  const { type, code } = property.field
  return fieldViews[type].next?.(attributes.custom_fields[code] ?? null)
}
