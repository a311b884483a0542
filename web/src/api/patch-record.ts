import type { WireValue } from '@kith/contract/field-type'
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query'
import type { ApiRecord, IncludedObject, Linkage, RecordDocument, RecordPage } from './records.ts'

/** The input of a write: attributes by name, custom values by code. */
export type RecordInput = {
  [attribute: string]: unknown
  custom_fields?: Record<string, WireValue>
  /** The ids of some other systems. A system without ids is an empty list. */
  external_ids?: Record<string, readonly string[]>
}

/** One change of one record: the input, and the record as it will be read. */
export type PropertyChange = {
  input: RecordInput
  shown: RecordInput
  /** Relations that change with it, and the records at their other ends. */
  relationships?: Record<string, { data: Linkage }>
  included?: IncludedObject[]
}

/** How a record differs from the cached one. */
type Patch = {
  id: string
  shown: RecordInput
  relationships?: Record<string, { data: Linkage }> | undefined
  included?: IncludedObject[] | undefined
}

/** Changes a record in every answer that is remembered: pages, lists of choices, its own document. */
export function patchRecord(queries: QueryClient, key: readonly unknown[], patch: Patch): void {
  queries.setQueriesData<RecordPage | RecordDocument>({ queryKey: key }, (known) => {
    if (known === undefined || !('data' in known)) return known
    const included = [...(patch.included ?? []), ...(known.included ?? [])]
    if (!isPage(known)) return known.data.id === patch.id ? { data: patched(known.data, patch), included } : known
    if (!known.data.some(({ id }) => id === patch.id)) return known
    return { ...known, data: known.data.map((record) => patched(record, patch)), included }
  })
}

/** The record as it will be read after a change. */
export function changedRecord(record: ApiRecord, { shown, relationships }: PropertyChange): ApiRecord {
  return patched(record, { id: record.id, shown, relationships })
}

/** The values of a record that an input would change. Lists of links are not among the attributes. */
export function valuesAt(input: RecordInput, from: RecordInput): RecordInput {
  const { custom_fields, external_ids, ...attributes } = input
  return {
    ...pick(attributes, from),
    ...(custom_fields && { custom_fields: pick(custom_fields, from.custom_fields) }),
    ...(external_ids && { external_ids: pick(external_ids, from.external_ids) }),
  }
}

/** The values of one object under the names of another; null where there is none. */
function pick<Value>(names: Record<string, Value>, from: Record<string, Value> = {}): Record<string, Value> {
  // Comparisons treat null, an empty text and an empty list alike.
  return Object.fromEntries(Object.keys(names).map((name) => [name, from[name] ?? null])) as Record<string, Value>
}

/** Whether two inputs have the same values. An empty text or list is the same as none. */
export function sameValues(one: RecordInput, other: RecordInput): boolean {
  return written(one) === written(other)
}

function written(input: RecordInput): string {
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0)
  return JSON.stringify(input, (_name, value: unknown) => (isEmpty(value) ? null : value))
}

function isPage(known: RecordPage | RecordDocument): known is RecordPage {
  return Array.isArray(known.data)
}

function patched(record: ApiRecord, { id, shown, relationships }: Patch): ApiRecord {
  if (record.id !== id) return record
  const { custom_fields, external_ids, ...attributes } = shown
  return {
    ...record,
    attributes: {
      ...record.attributes,
      ...attributes,
      custom_fields: { ...record.attributes.custom_fields, ...custom_fields },
      ...(external_ids && { external_ids: withIds(record, external_ids) }),
    },
    relationships: { ...record.relationships, ...relationships },
  }
}

/** The ids of a record after a change, without systems that have none. */
function withIds({ attributes }: ApiRecord, changed: Record<string, readonly string[]>) {
  const ids = { ...attributes.external_ids, ...changed }
  return Object.fromEntries(Object.entries(ids).filter(([, list]) => list.length > 0))
}

type ColumnPages = InfiniteData<RecordPage, number>

/** A column of a board: the records that have an option of a field, or none. Its query carries this as `meta`. */
export type ColumnMark = { code: string; option: string | null }

/** Puts the card of a record that was stored into its column, and takes it out of the others. */
export function patchColumns(queries: QueryClient, key: readonly unknown[], stored: ApiRecord): void {
  const columns = queries.getQueryCache().findAll({ queryKey: [...key, 'column'] })
  const card = cardIn(columns, stored.id)
  if (!card) return
  const record = { ...card.record, attributes: { ...card.record.attributes, ...stored.attributes } }
  for (const { queryKey, meta } of columns) {
    queries.setQueryData<ColumnPages>(queryKey, (known) => {
      if (!known) return known
      if (!isIn(record, meta)) return without(known, record.id)
      return has(known, record.id) ? replaced(known, record) : withCard(known, { ...card, record })
    })
  }
}

type Card = { record: ApiRecord; included: readonly IncludedObject[] }

/** A card as some column of a board has it. */
export function cardIn(columns: readonly Query[], id: string): Card | undefined {
  for (const { state, meta } of columns) {
    if (!markIn(meta)) continue
    // Only the queries of columns have such a mark.
    for (const { data, included = [] } of (state.data as ColumnPages | undefined)?.pages ?? []) {
      const record = data.find((one) => one.id === id)
      if (record) return { record, included }
    }
  }
  return undefined
}

function markIn(meta: Query['meta']): ColumnMark | undefined {
  // The queries of columns set it.
  return meta?.column as ColumnMark | undefined
}

function isIn({ attributes }: ApiRecord, meta: Query['meta']): boolean {
  const mark = markIn(meta)
  const value = mark && attributes.custom_fields[mark.code]
  const option = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return mark !== undefined && option === mark.option
}

function has({ pages }: ColumnPages, id: string): boolean {
  return pages.some(({ data }) => data.some((record) => record.id === id))
}

function replaced({ pages, ...rest }: ColumnPages, record: ApiRecord): ColumnPages {
  const inPage = (data: ApiRecord[]) => data.map((one) => (one.id === record.id ? record : one))
  return { ...rest, pages: pages.map((page) => ({ ...page, data: inPage(page.data) })) }
}

function without({ pages, ...rest }: ColumnPages, id: string): ColumnPages {
  return { ...rest, pages: pages.map((page) => ({ ...page, data: page.data.filter((record) => record.id !== id) })) }
}

/** On top, where it is seen. The next answer puts it where the sort wants it. */
function withCard({ pages: [first, ...others], ...rest }: ColumnPages, { record, included }: Card): ColumnPages {
  if (!first) return { ...rest, pages: [] }
  const top = { ...first, data: [record, ...first.data], included: [...(first.included ?? []), ...included] }
  return { ...rest, pages: [top, ...others] }
}
