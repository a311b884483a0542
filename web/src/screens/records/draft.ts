import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { useState } from 'react'
import type { RecordInput } from '../../api/patch-record.ts'
import { useRecordCreate } from '../../api/record-changes.ts'
import { useRecordRemoval } from '../../api/record-removal.ts'
import { type ApiRecord, type IncludedObject, nameOf } from '../../api/records.ts'
import { showToast } from '../../components/toast-store.ts'
import type { PropertyChange } from '../../properties/property-change.ts'
import { type Included, includedIn } from '../../properties/related.ts'

export type Draft = {
  /** The record as it would be read if it were there already. */
  record: ApiRecord
  included: Included
  /** What the service found wrong, by the path of what is wrong. */
  errors: Readonly<Record<string, readonly string[]>>
  /** Why it could not be made, where that is about no single field. */
  message: string | undefined
  busy: boolean
  change(change: PropertyChange): Draft['record']
  create(change?: PropertyChange): Promise<boolean>
}

/** Values that are being put together for a record. */
export function useDraftValues(resource: ResourceName) {
  const [record, setRecord] = useState(() => emptyRecord(resource))
  const [input, setInput] = useState<RecordInput>({})
  const [included, setIncluded] = useState<IncludedObject[]>([])
  const change = (made: PropertyChange) => {
    const next = changed(record, made)
    setRecord(next)
    setInput(mergedInput(input, made.input))
    setIncluded([...(made.included ?? []), ...included])
    return next
  }
  return { record, input, included: includedIn({ included }), change }
}

/** A record that is being put together and does not exist yet. */
export function useDraft(resource: ResourceName): Draft {
  const { record, input: given, included, change } = useDraftValues(resource)
  const input = { [registry[resource].label]: '', ...given }
  const creation = useRecordCreate(resource)
  const remove = useRecordRemoval(resource)
  const create = async (made?: PropertyChange) => {
    const next = made ? change(made) : record
    try {
      const { data } = await creation.mutateAsync(made ? mergedInput(input, made.input) : input)
      const name = nameOf(next)
      showToast({ message: `Created ${name}`, undo: () => remove([data.id], name) })
      return true
    } catch {
      return false
    }
  }
  const { error } = creation
  const errors = error instanceof KithError ? error.errors : {}
  return {
    record,
    included,
    errors,
    message: error?.message,
    busy: creation.isPending,
    change,
    create,
  }
}

function emptyRecord(type: ResourceName): ApiRecord {
  const now = new Date().toISOString()
  const attributes = { creation_source: 'web', created_at: now, updated_at: now, custom_fields: {} }
  return { id: 'draft', type, attributes, relationships: {} }
}

function changed(record: ApiRecord, { shown, relationships }: PropertyChange): ApiRecord {
  const { custom_fields, ...attributes } = shown
  return {
    ...record,
    attributes: {
      ...record.attributes,
      ...attributes,
      custom_fields: { ...record.attributes.custom_fields, ...custom_fields },
    },
    relationships: { ...record.relationships, ...relationships },
  }
}

function mergedInput(before: RecordInput, { custom_fields, ...attributes }: RecordInput): RecordInput {
  return { ...before, ...attributes, custom_fields: { ...before.custom_fields, ...custom_fields } }
}
