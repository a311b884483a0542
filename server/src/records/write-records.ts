import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes, isList } from '@kith/contract/field-types'
import { heldOptions } from '@kith/contract/field-types/choice'
import { ANSWER_MAX_BYTES } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { grouped } from './check-input.ts'
import { goneIn } from './stored-values.ts'

/**
 * Writes whole records as JSON text: the same text as presenting them and serializing the result, but without objects.
 * Except for choices and references, the text of a value is copied from the stored JSON.
 */
export function recordWriter(resource: Resource, fields: FieldSet): (row: RecordRow) => string {
  const plan = planOf(resource, fields)
  return (row) => writeRecord(row, plan)
}

/** The wire text of a stored text. */
type Present = (text: string, gone: ReadonlySet<string> | undefined) => string

type Plan = {
  /** The text between the id and the first attribute. */
  head: string
  /** With the text before each attribute. Only strings must be escaped. */
  attributes: { column: keyof RecordRow; before: string; isText: boolean }[]
  /** With the text before its value, and the text of an unset value. */
  fields: { before: string; unset: string; present: Present | undefined }[]
  /** The index of a field by its key in the stored JSON. */
  places: ReadonlyMap<string, number>
}

/** Cached with the fields, until they change. */
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
      unset: isList(field) ? '[]' : 'null',
      present: presenterOf(field),
    })),
    places: new Map(list.map((field, index) => [field.key, index])),
  }
}

/** Converts the stored text of a value to its wire text, where the two differ. */
function presenterOf(field: FieldDefinition): Present | undefined {
  const type = fieldTypes[field.type]
  if (!type.hasOptions && !type.refersTo) return undefined
  const written = (text: string, gone?: ReadonlySet<string>) => {
    // Only this service writes the JSON of a record.
    return JSON.stringify(type.present(JSON.parse(text) as StoredValue, field, gone))
  }
  if (type.list) return written
  const known = new Map(heldOptions(field).map(({ id }) => [`"${id}"`, written(`"${id}"`)]))
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
  const gone = goneIn(row)
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]
    if (!field) continue
    const part = parts[i]
    text += field.before + (part === undefined ? field.unset : field.present ? field.present(part, gone) : part)
  }
  return `${text}}}}`
}

const COMMA = 44
const QUOTE = 34
const BACKSLASH = 92
const OPENING = 91

/**
 * Splits the JSON text of a record's values into the texts of the single values, each at the index of its key. Values
 * of other keys are omitted. The text is the result of `JSON.stringify` on an object of strings, numbers, booleans and
 * lists of strings.
 */
function storedParts(json: string, places: ReadonlyMap<string, number>): (string | undefined)[] {
  const parts: (string | undefined)[] = []
  // After the opening brace: a key, a colon, a value, then a comma or the closing brace.
  for (let at = 1; at < json.length - 1; ) {
    const colon = endOfText(json, at)
    const end = endOfValue(json, colon + 1)
    const place = places.get(json.slice(at + 1, colon - 1))
    if (place !== undefined) parts[place] = json.slice(colon + 1, end)
    at = end + 1
  }
  return parts
}

/** The index after the closing quote of the string that starts here. */
function endOfText(json: string, start: number): number {
  let at = json.indexOf('"', start + 1)
  while (isEscaped(json, at)) at = json.indexOf('"', at + 1)
  if (at === -1) throw new Error('A stored text has no end.')
  return at + 1
}

/** A quote after an odd number of backslashes is escaped. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

function endOfValue(json: string, start: number): number {
  const first = json.charCodeAt(start)
  if (first === QUOTE) return endOfText(json, start)
  if (first === OPENING) return endOfList(json, start)
  const comma = json.indexOf(',', start)
  return comma === -1 ? json.length - 1 : comma
}

function endOfList(json: string, start: number): number {
  let at = start + 1
  while (json.charCodeAt(at) === QUOTE) {
    at = endOfText(json, at)
    // A comma is followed by another string, otherwise the bracket ends the list.
    if (json.charCodeAt(at) === COMMA) at++
  }
  return at + 1
}

/**
 * Called while a response is loaded and written, with its size so far and the number of complete records. Throws if the
 * request can be refused, and returns false if the rest must be omitted instead.
 */
export type Fits = (bytes: number, records?: number) => boolean

/** For a page of a list. A single record is always returned. */
export function listFits(scope: Scope, { records, include }: { records: number; include: readonly string[] }): Fits {
  if (records <= 1) return readFits(scope, include)
  const max = maxFor(scope)
  return (bytes, complete = Math.floor(records / 2)) => {
    if (bytes <= max) return true
    const fewer = Math.max(1, Math.min(complete, records - 1))
    const reached = `${tooLarge(max, bytes)} before all ${records} records are in it.`
    const advice = `Ask for fewer records (such as per_page=${fewer}), or for fewer attributes of each with fields.`
    return refuseValue('per_page', `${reached} ${advice}`)
  }
}

/** For a single record with its included records. */
export function readFits(scope: Scope, include: readonly string[]): Fits {
  if (include.length === 0) return () => true
  const max = maxFor(scope)
  return (bytes) => {
    if (bytes <= max) return true
    const reached = `${tooLarge(max, bytes)} before all included records are in it.`
    const advice = 'Include fewer relations, or ask for fewer attributes of the included records with fields.'
    return refuseValue('include', `${reached} ${advice}`)
  }
}

/** For a write, which can no longer be refused: included records that do not fit are omitted. */
export function writeFits(scope: Scope): Fits {
  const max = maxFor(scope)
  return (bytes) => bytes <= max
}

/** The response of a tool contains everything twice, once as text inside JSON. */
export const TOOL_ANSWER_MAX_BYTES = Math.floor(ANSWER_MAX_BYTES / 3)

function maxFor({ actor }: Scope): number {
  return actor.source === 'mcp' ? TOOL_ANSWER_MAX_BYTES : ANSWER_MAX_BYTES
}

function tooLarge(max: number, bytes: number): string {
  const limit = `${grouped(max)} bytes (${Math.floor(max / 1024 / 1024)} MiB)`
  return `The response would be larger than ${limit}: it has ${grouped(bytes)} bytes`
}

const UNIT_BYTES_MAX = 3

/** The size in UTF-8. Small texts are not measured. */
export function sizeOf(text: string): number {
  return text.length * UNIT_BYTES_MAX <= TOOL_ANSWER_MAX_BYTES ? text.length : Buffer.byteLength(text)
}

/** The texts of objects as a JSON list, as many as fit after the bytes that are already used. */
export function joinTexts(texts: readonly string[], fits: Fits, before = 0): { text: string; written: number } {
  let text = '['
  for (const [index, part] of texts.entries()) {
    if (!fits(before + text.length + part.length, index)) return { text: `${text}]`, written: index }
    text += index === 0 ? part : `,${part}`
  }
  return { text: `${text}]`, written: texts.length }
}
