import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import type { RecordRow } from '../storage/tables/records.ts'
import type { Fits } from './answer-size.ts'
import { storedParts } from './stored-parts.ts'

/**
 * Whole records as JSON text: the same as presenting them and making JSON of that, without making objects on the way. A
 * value is read as it is stored, but for choices, so that its text goes from the stored JSON into the answer.
 */
export function writeRecords(
  rows: readonly RecordRow[],
  resource: Resource,
  fields: FieldSet,
  fits: Fits = () => true,
): string {
  const plan = planOf(resource, fields)
  let text = '['
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    if (row) text += (i === 0 ? '' : ',') + writeRecord(row, plan)
    fits(text.length, i)
  }
  return `${text}]`
}

type Plan = {
  /** From behind the id to the label. */
  head: string
  label: 'name' | 'title'
  /** With the text in front of each. */
  references: { column: keyof RecordRow; before: string }[]
  /** With the text in front of its value, and what stands there when it is unset. */
  fields: { before: string; unset: string; present: ((text: string) => string) | undefined }[]
  /** Which of the fields has this key in the stored JSON. */
  places: ReadonlyMap<string, number>
}

/** Definitions are kept until they change, and so is the plan made from them. */
const plans = new WeakMap<FieldSet, Plan>()

function planOf(resource: Resource, fields: FieldSet): Plan {
  let plan = plans.get(fields)
  if (!plan) {
    plan = makePlan(resource, fields)
    plans.set(fields, plan)
  }
  return plan
}

function makePlan(resource: Resource, { list }: FieldSet): Plan {
  return {
    head: `","type":"${resource.type}","attributes":{"${resource.label}":`,
    label: resource.label,
    // The registry's references are columns of the row.
    references: Object.keys(resource.references).map((column) => ({
      column: column as keyof RecordRow,
      before: `,"${column}":`,
    })),
    fields: list.map((field, index) => ({
      before: `${index === 0 ? '' : ','}${JSON.stringify(field.code)}:`,
      unset: fieldTypes[field.type].list ? '[]' : 'null',
      present: presenterOf(field),
    })),
    places: new Map(list.map((field, index) => [field.key, index])),
  }
}

/** What makes the text of a value out of its stored text, where the two differ. */
function presenterOf(field: FieldDefinition): Plan['fields'][number]['present'] {
  const type = fieldTypes[field.type]
  if (!type.hasOptions) return undefined
  // The JSON of a record is written by us alone.
  const written = (text: string) => JSON.stringify(type.present(JSON.parse(text) as StoredValue, field))
  if (type.list) return written
  const known = new Map(field.options.map(({ id }) => [`"${id}"`, written(`"${id}"`)]))
  return (text) => known.get(text) ?? 'null'
}

function writeRecord(row: RecordRow, { head, label, references, fields, places }: Plan): string {
  let text = `{"id":"${row.id}${head}${JSON.stringify(row[label])}`
  for (const { column, before } of references) {
    const id = row[column]
    text += before + (id === null ? 'null' : `"${id}"`)
  }
  text += `,"creation_source":"${row.creation_source}","created_at":"${row.created_at}","updated_at":"${row.updated_at}","custom_fields":{`
  const parts = storedParts(row.custom_fields, places)
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]
    if (!field) continue
    const part = parts[i]
    text += field.before + (part === undefined ? field.unset : field.present ? field.present(part) : part)
  }
  return `${text}}}}`
}
