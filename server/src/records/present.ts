import { hash } from 'node:crypto'
import type { AnswerOptions, FieldSelection, TypeSelection } from '@kith/contract/answer-options'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { Definitions, FieldSet } from '@kith/contract/field-definition'
import type { WireValue } from '@kith/contract/field-type'
import { registry } from '@kith/contract/registry'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { UserRow } from '../storage/query/related.ts'
import { findRecord, type RecordRow } from '../storage/tables/records.ts'
import { type Identifier, loadRelated } from './related.ts'
import { parseStored, presentValue } from './stored-values.ts'
import { type Fits, sizeOf, writeFits, writeObjects, writeRecords } from './write-records.ts'

export type ResourceObject = {
  id: string
  type: string
  attributes: Record<string, unknown>
  relationships?: Record<string, { data: Identifier | Identifier[] | null }>
}

/** Records as they are sent, with their included records. */
export type Presented = {
  /** Created on first use, like the text. */
  readonly data: readonly ResourceObject[]
  /** The same as JSON. */
  readonly text: string
  count: number
  /** When the first record was last changed. */
  updated_at: string | undefined
  included?: readonly ResourceObject[]
  /** The same as JSON. */
  includedText?: string
  /** Relations that had too many records to show them all. */
  truncated: string[]
}

type Shown = AnswerOptions & { definitions: Definitions; rows: readonly RecordRow[]; fits?: Fits }

export async function presentRecords(
  scope: Scope,
  resource: Resource,
  { definitions, rows, include, fields, fits = writeFits(scope) }: Shown,
): Promise<Presented> {
  const present = () => rows.map((row) => presentRecord(row, resource, { definitions, fields }))
  if (include.length === 0) {
    return {
      count: rows.length,
      updated_at: rows[0]?.updated_at,
      truncated: [],
      get data() {
        return present()
      },
      get text() {
        const text = fields.has(resource.type)
          ? writeObjects(present(), fits).text
          : writeRecords(rows, { resource, fields: definitions[resource.type] }, fits)
        fits(sizeOf(text))
        return text
      },
    }
  }
  const related = await loadRelated(scope, resource, { rows, include, shown: { definitions, fields, fits } })
  const { externalIds } = related
  const data = related.rows.map((row) => presentRecord(row, resource, { definitions, fields, externalIds }))
  data.forEach((object, index) => {
    const row = related.rows[index]
    if (!row) return
    Object.assign(object.attributes, related.countsOf(row, fields.get(resource.type)?.attributes))
    if (related.relations.length > 0) object.relationships = related.relationshipsOf(row)
  })
  // A write returns one record, which is always shown.
  const { text } = writeObjects(data, data.length > 1 ? fits : () => true)
  const updated_at = rows[0]?.updated_at
  const presented = { data, text, count: data.length, updated_at, truncated: related.truncated }
  if (related.relations.length === 0) return presented
  const users = related.users.map((user) => presentUser(user, fields))
  const records = related.records.map(({ type, row }) => presentRecord(row, registry[type], { definitions, fields }))
  const all = [...users, ...records]
  const included = writeObjects(all, (bytes) => fits(bytes), text.length)
  fits(sizeOf(text) + sizeOf(included.text))
  const left = new Set(all.slice(included.written).map((object) => object.type))
  const truncated = include.filter(
    (name) => related.truncated.includes(name) || left.has(resource.relations[name]?.to ?? ''),
  )
  return { ...presented, truncated, included: all.slice(0, included.written), includedText: included.text }
}

/** One record, just written, without related records. */
export async function presentWritten(
  inside: Scope,
  resource: Resource,
  { definitions, id }: { definitions: Definitions; id: string },
): Promise<Presented> {
  const row = await findRecord(inside, resource, id)
  if (!row) throw new Error('A record that was just written is not there.')
  return presentRecords(inside, resource, { definitions, rows: [row], include: [], fields: new Map() })
}

type Presenting = {
  definitions: Definitions
  fields: FieldSelection
  /** Shown if they are there. A record without any is not in the map. */
  externalIds?: ReadonlyMap<string, ExternalIds> | undefined
}

/** A record as it is sent, without its relationships. */
export function presentRecord(
  row: RecordRow,
  resource: Resource,
  { definitions, fields, externalIds }: Presenting,
): ResourceObject {
  const selection = fields.get(resource.type)
  const attributes: Record<string, unknown> = {}
  for (const name of Object.keys(resource.attributes)) {
    // Every attribute of the registry is a column of the row.
    if (!selection || selection.attributes.has(name)) attributes[name] = row[name as keyof RecordRow]
  }
  if (externalIds && (!selection || selection.attributes.has(EXTERNAL_IDS))) {
    attributes[EXTERNAL_IDS] = externalIds.get(row.id) ?? {}
  }
  if (!selection || selection.custom === 'all' || selection.custom.size > 0) {
    attributes.custom_fields = presentValues(row.custom_fields, definitions[resource.type], selection)
  }
  return { id: row.id, type: resource.type, attributes }
}

/** Every active field in its order. Unset fields are null or an empty list. */
function presentValues(
  json: string,
  fields: FieldSet,
  selection: TypeSelection | undefined,
): Record<string, WireValue> {
  const stored = parseStored(json)
  const chosen = selection?.custom ?? 'all'
  const values: Record<string, WireValue> = {}
  for (const field of fields.list) {
    if (chosen !== 'all' && !chosen.has(field.code)) continue
    values[field.code] = presentValue(stored[field.key], field)
  }
  return values
}

export function presentUser(user: UserRow, fields: FieldSelection): ResourceObject {
  const selection = fields.get('users')
  const attributes: Record<string, unknown> = {}
  if (!selection || selection.attributes.has('name')) attributes.name = user.name
  if (!selection || selection.attributes.has('email')) attributes.email = user.email
  return { id: user.id, type: 'users', attributes }
}

/** The JSON document of a single record. */
export function recordDocument({ text, includedText, truncated }: Presented, meta: object = {}): string {
  const all = truncated.length > 0 ? { truncated, ...meta } : meta
  const shown = Object.keys(all).length > 0 ? `,"meta":${JSON.stringify(all)}` : ''
  // The record without the brackets of the list that it is alone in.
  return `{"data":${text.slice(1, -1)}${included(includedText)}${shown}}`
}

/** The included records, as a part of a document. */
export function included(text: string | undefined): string {
  return text === undefined ? '' : `,"included":${text}`
}

const DIGITS = 16

/**
 * The strong ETag of a record: when it was last changed, and digits that depend on all of the document. If-Match only
 * compares the time.
 */
export function recordTag({ updated_at }: Pick<Presented, 'updated_at'>, document: string): string {
  return `"${updated_at}~${hash('sha256', document, 'hex').slice(0, DIGITS)}"`
}
