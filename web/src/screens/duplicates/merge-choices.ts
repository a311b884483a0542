import { fieldTypes } from '@kith/contract/field-types'
import type { RecordInput } from '../../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { isUnset } from '../../fields/values.ts'
import type { Property } from '../../properties/property.ts'
import { type IncludedRecords, relatedTo } from '../../properties/related.ts'

/** All values together, for properties that are lists. */
export const TOGETHER = 'together'

/**
 * From which record the value of a property is taken, by the key of the property; the others are decided by the
 * rules.
 */
export type ValueChoices = Readonly<Record<string, string>>

/** Whether a merge decides about it: values that people write, not counts of the service. */
export function isMerged({ kind }: Property): boolean {
  return kind === 'name' || kind === 'reference' || kind === 'links' || kind === 'custom'
}

export function isList(property: Property): boolean {
  return property.kind === 'links' || (property.kind === 'custom' && fieldTypes[property.field.type].list)
}

/** The value of a record, in a form that can be compared and sent. */
export function heldBy(property: Property, record: ApiRecord, included: IncludedRecords): unknown {
  if (property.kind === 'name') return nameOf(record)
  if (property.kind === 'custom') return record.attributes.custom_fields[property.field.code] ?? null
  if (property.kind !== 'reference' && property.kind !== 'links') return null
  const ids = relatedTo(record, property.include, included).map(({ id }) => id)
  return property.kind === 'links' ? ids : (ids[0] ?? null)
}

export function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  // The API reads the same values that it writes.
  return isUnset(value as Parameters<typeof isUnset>[0])
}

/**
 * Where the value comes from by default, as in the service: lists are joined, the winner keeps its values, and takes
 * those that it lacks from the oldest record that has one.
 */
export function sourceOf(property: Property, { choices, winner, records, included }: MergePlan): string {
  const chosen = choices[property.key]
  if (chosen !== undefined && (chosen === TOGETHER || records.some(({ id }) => id === chosen))) return chosen
  if (isList(property)) return TOGETHER
  const ordered = [...records.filter(({ id }) => id === winner), ...records.filter(({ id }) => id !== winner)]
  const holder = ordered.find((record) => !isEmpty(heldBy(property, record, included)))
  return holder?.id ?? winner
}

export type MergePlan = {
  winner: string
  /** The oldest first. */
  records: readonly ApiRecord[]
  included: IncludedRecords
  choices: ValueChoices
}

/** The values that are sent with the ids: only choices that differ from the default. */
export function attributesOf(properties: readonly Property[], merging: MergePlan): RecordInput {
  const attributes: RecordInput = {}
  const custom_fields: Record<string, unknown> = {}
  for (const property of properties) {
    const source = sourceOf(property, merging)
    const usual = sourceOf(property, { ...merging, choices: {} })
    const record = merging.records.find(({ id }) => id === source)
    if (source === usual || !record) continue
    const held = heldBy(property, record, merging.included)
    if (property.kind === 'custom') custom_fields[property.field.code] = held
    else if (property.kind === 'name') attributes[property.key] = held
    else if (property.kind === 'reference' || property.kind === 'links') {
      if (property.field) custom_fields[property.field.code] = held
      else attributes[property.attribute] = held
    }
  }
  return Object.keys(custom_fields).length === 0 ? attributes : { ...attributes, ...({ custom_fields } as RecordInput) }
}
