import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import { isObject } from '@kith/contract/raw-input'
import { Refusal } from '@kith/contract/refusal'
import { updateField } from '../../fields/update.ts'
import type { Step } from '../job-type.ts'
import type { RowEntry } from './row-entry.ts'

/** Labels that a field has no options for. */
type NewOptions = { code: string; labels: string[] }

/** The options that rows name and their fields do not have. */
export function newOptions(entries: readonly RowEntry[], fields: FieldSet): NewOptions[] {
  const found = new Map<string, Map<string, string>>()
  for (const { field, unknown } of entries.flatMap((entry) => choicesIn(entry, fields))) {
    const labels = found.getOrInsertComputed(field.code, () => new Map())
    for (const label of unknown) labels.getOrInsert(fold(label.trim()), label.trim())
  }
  return [...found].map(([code, labels]) => ({ code, labels: [...labels.values()] }))
}

/** The rows without such values: they would be options by then. */
export function withoutNewOptions(entries: readonly RowEntry[], fields: FieldSet): RowEntry[] {
  return entries.map((entry) => {
    if ('failure' in entry) return entry
    const custom_fields: Record<string, unknown> = { ...valuesIn(entry) }
    for (const { field, unknown } of choicesIn(entry, fields)) {
      const sent = custom_fields[field.code]
      const known = Array.isArray(sent) ? sent.filter((item) => !unknown.includes(item)) : []
      if (known.length > 0) custom_fields[field.code] = known
      else delete custom_fields[field.code]
    }
    return { ...entry, operation: { ...entry.operation, data: { ...entry.operation.data, custom_fields } } }
  })
}

type Choices = { field: FieldDefinition; unknown: string[] }

function choicesIn(entry: RowEntry, { byCode }: FieldSet): Choices[] {
  return Object.entries(valuesIn(entry)).flatMap(([code, value]) => {
    const field = byCode.get(code)
    if (!field || !fieldTypes[field.type].hasOptions) return []
    const unknown = (Array.isArray(value) ? value : [value]).filter((item) => isUnknown(item, field))
    return unknown.length === 0 ? [] : [{ field, unknown }]
  })
}

function valuesIn(entry: RowEntry): Record<string, unknown> {
  if ('failure' in entry) return {}
  const { custom_fields } = entry.operation.data
  return isObject(custom_fields) ? custom_fields : {}
}

function isUnknown(item: unknown, field: FieldDefinition): item is string {
  if (typeof item !== 'string' || item.trim() === '') return false
  const type = fieldTypes[field.type]
  return type.parse(type.list ? [item] : item, { field, path: '', report() {} }) === undefined
}

/** Creates the options that rows name. Where that is refused, the rows say what is wrong. */
export const addOptions: Step = async (inside, { resource }, input) => {
  // Sent by runImport.
  const { options } = input as { options: NewOptions[] }
  for (const { code, labels } of options) {
    try {
      await updateField(inside, { entity_type: resource, code }, { add_options: labels })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return {}
}
