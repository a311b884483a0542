import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AnswerOptions, FieldSelection, TypeSelection } from '@kith/contract/answer-options'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { FieldSet } from '@kith/contract/field-definition'
import type { WireValue } from '@kith/contract/field-type'
import { INCLUDED_MAX } from '@kith/contract/limits'
import {
  EXTERNAL_IDS,
  INCLUDE_EXTERNAL_IDS,
  isToMany,
  type RelatedType,
  type Resource,
  type ResourceName,
  resourceIn,
} from '@kith/contract/resource'
import { LARGE_BYTES, mapInParts } from '../scope/large-work.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/transactions.ts'
import { type Inclusion, loadIncluded, type RelatedIds, referenceOf } from '../storage/query/related.ts'
import type { UserRow } from '../storage/tables/members.ts'
import { findRecord, type RecordRow } from '../storage/tables/records.ts'
import { completeRelated, type Presentation } from './complete-rows.ts'
import { byRecord } from './external-ids.ts'
import { goneIn, parseStored, presentValue } from './stored-values.ts'
import { type Fits, joinTexts, recordWriter, sizeOf, writeFits } from './write-records.ts'

export type ResourceObject = {
  id: string
  type: string
  attributes: Record<string, unknown>
  relationships?: Record<string, { data: Identifier | Identifier[] | null }>
}

/** Records in the form of a response, with their included records. */
export type PresentedRecords = {
  /** Made where they are used: tools use the objects, everything else the text. */
  data(): readonly ResourceObject[]
  /** The records as JSON. */
  text(): string
  count: number
  /** When the first record was last changed. */
  updated_at: string | undefined
  included?: readonly ResourceObject[]
  /** The included records as JSON. */
  includedText?: string
  /** Relations that had too many records to show them all. */
  truncated: string[]
}

export async function presentRecords(
  scope: Scope,
  resource: Resource,
  { rows, include, fields, fits = writeFits(scope) }: AnswerOptions & { rows: readonly RecordRow[]; fits?: Fits },
): Promise<PresentedRecords> {
  const presentOne = (row: RecordRow) => presentRecord(row, resource, { fields })
  if (include.length === 0) {
    const write = fields.has(resource.type)
      ? (row: RecordRow) => JSON.stringify(presentOne(row))
      : recordWriter(resource, resource.fields)
    // The text of large records is written at once, in parts. Tools use the objects.
    const large = isLarge(rows) && scope.actor.source !== 'mcp' ? await textsOf(rows, write) : undefined
    return {
      count: rows.length,
      updated_at: rows[0]?.updated_at,
      truncated: [],
      data: () => rows.map(presentOne),
      text() {
        // Either all records are shown, or the request is refused.
        const { text } = joinTexts(large?.texts ?? rows.map(write), (...size) => fits(...size) || true)
        fits(large?.bytes ?? sizeOf(text))
        return text
      },
    }
  }
  const related = await loadRelated(scope, resource, { rows, include, shown: { fields, fits } })
  if (related.rows !== rows) requireSame(related.rows.map(presentOne), rows.map(presentOne))
  const { externalIds } = related
  const presentWhole = (row: RecordRow) => {
    const object = presentRecord(row, resource, { fields, externalIds })
    Object.assign(object.attributes, related.countsOf(row, fields.get(resource.type)?.attributes))
    if (related.relations.length > 0) object.relationships = related.relationshipsOf(row)
    return object
  }
  const data = await mapInParts(related.rows, presentWhole, (_, row) => row.custom_fields.length)
  // A write returns one record, which is always shown.
  const own = await textsOf(data, JSON.stringify)
  const { text } = joinTexts(own.texts, data.length > 1 ? fits : () => true)
  const updated_at = rows[0]?.updated_at
  const presented = { data: () => data, text: () => text, count: data.length, updated_at, truncated: related.truncated }
  if (related.relations.length === 0) return presented
  const users = related.users.map((user) => presentUser(user, fields))
  const records = await mapInParts(
    related.records,
    ({ type, row }) => presentRecord(row, resourceIn(scope.schema, type), { fields }),
    (_, { row }) => row.custom_fields.length,
  )
  const all = [...users, ...records]
  const others = await textsOf(all, JSON.stringify)
  const included = joinTexts(others.texts, (bytes) => fits(bytes), text.length)
  if (included.written === all.length) fits(own.bytes + others.bytes)
  const left = new Set(all.slice(included.written).map((object) => object.type))
  const truncated = include.filter(
    (name) => related.truncated.includes(name) || left.has(resource.relations[name]?.to ?? ''),
  )
  return { ...presented, truncated, included: all.slice(0, included.written), includedText: included.text }
}

/**
 * The history has what a write has read. If it is read again, and shows other references because a record was deleted
 * or restored since, the transaction restarts.
 */
export function requireSame(again: readonly unknown[], written: readonly unknown[]): void {
  if (!isDeepStrictEqual(again, written)) throw new Conflict()
}

function isLarge(rows: readonly RecordRow[]): boolean {
  return rows.reduce((sum, row) => sum + row.custom_fields.length, 0) > LARGE_BYTES
}

/** The texts of some items, written in parts, and their size. Measuring a large text counts as its own part. */
async function textsOf<Item>(items: readonly Item[], write: (item: Item) => string) {
  let bytes = 0
  const texts = await mapInParts(items, write, (text) => {
    const size = Buffer.byteLength(text)
    bytes += size + 1
    return size
  })
  return { texts, bytes }
}

/** One record without related records, as a write has returned it. By its id, it is read. */
export async function presentWritten(
  inside: Scope,
  resource: Resource,
  written: RecordRow | string,
): Promise<PresentedRecords> {
  const row = typeof written === 'string' ? await findRecord(inside, resource, written) : written
  if (!row) throw new Error('A record that was just written is not there.')
  return presentRecords(inside, resource, { rows: [row], include: [], fields: new Map() })
}

/** A record in the form of a response, without its relationships. */
export function presentRecord(
  row: RecordRow,
  resource: Resource,
  {
    fields,
    externalIds,
  }: {
    fields: FieldSelection
    /** External ids to show. A record without any is not in the map. */
    externalIds?: ReadonlyMap<string, ExternalIds> | undefined
  },
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
    attributes.custom_fields = presentValues(row, resource.fields, selection)
  }
  return { id: row.id, type: resource.type, attributes }
}

/** Every active field in its order. Unset fields are null or an empty list. */
function presentValues(
  row: Pick<RecordRow, 'custom_fields' | 'gone'>,
  fields: FieldSet,
  selection: TypeSelection | undefined,
): Record<string, WireValue> {
  const stored = parseStored(row.custom_fields)
  const gone = goneIn(row)
  const chosen = selection?.custom ?? 'all'
  const values: Record<string, WireValue> = {}
  for (const field of fields.list) {
    if (chosen !== 'all' && !chosen.has(field.code)) continue
    values[field.code] = presentValue(stored[field.key], field, gone)
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
export function recordDocument({ text, includedText, truncated }: PresentedRecords, meta: object = {}): string {
  const all = truncated.length > 0 ? { truncated, ...meta } : meta
  const shown = Object.keys(all).length > 0 ? `,"meta":${JSON.stringify(all)}` : ''
  // The record without the brackets of its list.
  return `{"data":${text().slice(1, -1)}${included(includedText)}${shown}}`
}

/** The included records, as a part of a document. */
export function included(text: string | undefined): string {
  return text === undefined ? '' : `,"included":${text}`
}

const DIGITS = 16

/**
 * The strong ETag of a record: the time of its last change, and a hash of the document. If-Match only compares the
 * time.
 */
export function recordTag({ updated_at }: Pick<PresentedRecords, 'updated_at'>, document: string): string {
  return `"${updated_at}~${hash('sha256', document, 'hex').slice(0, DIGITS)}"`
}

type Identifier = { id: string; type: RelatedType }

/** Loads everything that `include` requests. */
async function loadRelated(
  scope: Scope,
  resource: Resource,
  wanted: { rows: readonly RecordRow[]; include: readonly string[]; shown: Presentation },
): Promise<{
  /** The records themselves, from the same snapshot as the rest. */
  rows: readonly RecordRow[]
  /** The names of the requested relations. */
  relations: readonly string[]
  truncated: string[]
  users: readonly UserRow[]
  records: readonly { type: ResourceName; row: RecordRow }[]
  relationshipsOf(row: RecordRow): Record<string, { data: Identifier | Identifier[] | null }>
  countsOf(row: RecordRow, chosen: ReadonlySet<string> | undefined): Record<string, number>
  /** By the id of the record, if they are requested. */
  externalIds: ReadonlyMap<string, ExternalIds> | undefined
}> {
  const { rows, include, shown } = wanted
  const relations = include.flatMap((name) => {
    const relation = resource.relations[name]
    return relation ? [{ name, relation }] : []
  })
  const counts = Object.entries(resource.counts).flatMap(([name, count]) => (include.includes(name) ? [count] : []))
  const externalIds = include.includes(INCLUDE_EXTERNAL_IDS)
  const { loaded, records, cut } = await inSnapshot(scope, async (inside) => {
    const loaded = await loadIncluded(inside, { resource, rows, relations, counts, externalIds })
    return { loaded, ...(await completeRelated(inside, loaded.records, shown)) }
  })
  const there = new Set([...loaded.users.map((user) => user.id), ...records.map(({ row }) => row.id)])
  const idsOf = (name: string): RelatedIds => loaded.ids.get(name) ?? new Map()
  const isCut = ({ name, relation }: Inclusion) => cut.has(relation.to) || someIsCut(idsOf(name))
  return {
    rows: loaded.rows,
    relations: relations.map(({ name }) => name),
    truncated: relations.filter(isCut).map(({ name }) => name),
    users: loaded.users,
    records,
    externalIds: externalIds ? byRecord(loaded.externalIds) : undefined,
    relationshipsOf(row) {
      const linked = relations.map((one) => [one.name, { data: linkage(one, idsOf(one.name), { row, there }) }])
      return Object.fromEntries(linked)
    },
    countsOf(row, chosen) {
      const shownCounts = counts.filter(({ attribute }) => !chosen || chosen.has(attribute))
      return Object.fromEntries(
        shownCounts.map(({ attribute }) => [attribute, loaded.counts.get(attribute)?.get(row.id) ?? 0]),
      )
    },
  }
}

function linkage(
  { relation }: Inclusion,
  ids: RelatedIds,
  { row, there }: { row: RecordRow; there: ReadonlySet<string> },
): Identifier | Identifier[] | null {
  const identified = (id: string): Identifier => ({ id, type: relation.to })
  if (isToMany(relation)) {
    const shown = (ids.get(row.id) ?? []).slice(0, INCLUDED_MAX)
    return shown.filter((id) => there.has(id)).map(identified)
  }
  const id = relation.kind === 'reference' ? referenceOf(row, relation.column) : ids.get(row.id)?.[0]
  return id && there.has(id) ? identified(id) : null
}

function someIsCut(ids: RelatedIds): boolean {
  for (const list of ids.values()) if (list.length > INCLUDED_MAX) return true
  return false
}
