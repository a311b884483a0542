import type { WireValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { roleMay } from '@kith/contract/permissions'
import { useState } from 'react'
import type { Field } from '../api/fields.ts'
import type { RecordInput } from '../api/patch-record.ts'
import { useRecordUpdate } from '../api/record-changes.ts'
import type { ApiRecord } from '../api/records.ts'
import { useWorkspace } from '../api/workspace.ts'
import { fieldViews } from '../fields/field-views.ts'
import type { Property } from './property.ts'
import { customChange, type PropertyChange } from './property-change.ts'
import { isEditable } from './property-view.ts'
import { type TextConflict, useTextSaving } from './text-saving.ts'

/** The state of one value that can be edited in place. */
type PropertyEditing = {
  editable: boolean
  editing: boolean
  /** Why the last change was refused, until the next one begins. */
  failure: string | undefined
  /** Someone else changed the same text meanwhile. */
  conflict: TextConflict | undefined
  /** Opens the editor, or changes at once what changes at a click. */
  begin(): void
  save(change: PropertyChange): void
  cancel(): void
}

export function usePropertyEditing(property: Property, record: ApiRecord): PropertyEditing {
  // The record as it was when the editor was opened.
  const [seen, setSeen] = useState<ApiRecord>()
  const { role } = useWorkspace()
  const update = useRecordUpdate(record.type)
  const saving = useTextSaving(record, (attributes) => textOf(property, attributes))
  const save = (change: PropertyChange) => {
    setSeen(undefined)
    if (seen && isText(property)) saving.save(change, seen)
    else update.mutate({ id: record.id, ...change })
  }
  const begin = () => {
    update.reset()
    saving.reset()
    const following = nextValue(property, record)
    if (property.kind === 'custom' && following !== undefined) save(customChange(property.field, following))
    else setSeen(record)
  }
  return {
    editable: isEditable(property) && roleMay(role, 'update'),
    editing: seen !== undefined,
    failure: update.error?.message ?? saving.failure,
    conflict: saving.conflict,
    begin,
    save,
    cancel: () => setSeen(undefined),
  }
}

/** Names and long texts, which people write and do not want to lose. */
function isText(property: Property): boolean {
  return property.kind === 'name' || (property.kind === 'custom' && isLong(property.field))
}

function isLong({ type }: Field): boolean {
  return fieldTypes[type].multiline !== undefined
}

function textOf(property: Property, attributes: RecordInput): string {
  const value = property.kind === 'custom' ? attributes.custom_fields?.[property.field.code] : attributes[property.key]
  return typeof value === 'string' ? value : ''
}

function nextValue(property: Property, { attributes }: ApiRecord): WireValue | undefined {
  if (property.kind !== 'custom') return undefined
  const { type, code } = property.field
  return fieldViews[type].next?.(attributes.custom_fields[code] ?? null)
}
