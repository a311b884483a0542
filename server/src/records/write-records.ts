import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import type { RecordRow } from '../storage/tables/records.ts'
import type { Fits } from './answer-size.ts'
import { storedParts } from './stored-parts.ts'

/**
 * Whole records as JSON text: the same text as presenting them and serializing the result, but without objects. Except
 * for choices, the text of a value is copied from the stored JSON.
 */
export function writeRecords(
  rows: readonly RecordRow[],
  { resource, fields }: { resource: Resource; fields: FieldSet },
  fits: Fits,
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
  /** The text between the id and the first attribute. */
  head: string
  /** With the text in front of each. Only texts must be escaped. */
  attributes: { column: keyof RecordRow; before: string; isText: boolean }[]
  /** With the text in front of its value, and the text of an unset value. */
  fields: { before: string; unset: string; present: ((text: string) => string) | undefined }[]
  /** The index of a field by its key in the stored JSON. */
  places: ReadonlyMap<string, number>
}

/** Definitions are cached until they change, and the plan with them. */
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
    head: `","type":"${resource.type}","attributes":{`,
    attributes: Object.entries(resource.attributes).map(([name, { kind }], index) => ({
      // Every attribute of the registry is a column of the row.
      column: name as keyof RecordRow,
      before: `${index === 0 ? '' : ','}"${name}":`,
      isText: kind === 'text',
    })),
    fields: list.map((field, index) => ({
      before: `${index === 0 ? '' : ','}${JSON.stringify(field.code)}:`,
      unset: fieldTypes[field.type].list ? '[]' : 'null',
      present: presenterOf(field),
    })),
    places: new Map(list.map((field, index) => [field.key, index])),
  }
}

/** Converts the stored text of a value to its wire text, where the two differ. */
function presenterOf(field: FieldDefinition): Plan['fields'][number]['present'] {
  const type = fieldTypes[field.type]
  if (!type.hasOptions) return undefined
  // The JSON of a record is written by us alone.
  const written = (text: string) => JSON.stringify(type.present(JSON.parse(text) as StoredValue, field))
  if (type.list) return written
  const known = new Map(field.options.map(({ id }) => [`"${id}"`, written(`"${id}"`)]))
  return (text) => known.get(text) ?? 'null'
}

function writeRecord(row: RecordRow, { head, attributes, fields, places }: Plan): string {
  let text = `{"id":"${row.id}${head}`
  for (const { column, before, isText } of attributes) {
    const value = row[column]
    text += before + (isText ? JSON.stringify(value) : value === null ? 'null' : `"${value}"`)
  }
  text += ',"custom_fields":{'
  const parts = storedParts(row.custom_fields, places)
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]
    if (!field) continue
    const part = parts[i]
    text += field.before + (part === undefined ? field.unset : field.present ? field.present(part) : part)
  }
  return `${text}}}}`
}
