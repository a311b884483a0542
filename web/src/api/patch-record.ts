import type { WireValue } from '@kith/contract/field-type'
import type { QueryClient } from '@tanstack/react-query'
import type { ApiRecord, IncludedObject, Linkage, RecordDocument, RecordPage } from './records.ts'

/** What a write sends: attributes by name, custom values by code. */
export type RecordInput = {
  [attribute: string]: unknown
  custom_fields?: Record<string, WireValue>
  /** The ids of some other systems. A system without ids is an empty list. */
  external_ids?: Record<string, readonly string[]>
}

/** One change of one record: what is sent, and the record as it will be read. */
export type PropertyChange = {
  input: RecordInput
  shown: RecordInput
  /** Relations that change with it, and the records at their other ends. */
  relationships?: Record<string, { data: Linkage }>
  included?: IncludedObject[]
}

/** How a record differs from what is remembered of it. */
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

/** What a record has where an input would change it. Lists of links are not among the attributes. */
export function valuesAt(input: RecordInput, from: RecordInput): RecordInput {
  const { custom_fields, external_ids, ...attributes } = input
  return {
    ...pick(attributes, from),
    ...(custom_fields && { custom_fields: pick(custom_fields, from.custom_fields) }),
    ...(external_ids && { external_ids: pick(external_ids, from.external_ids) }),
  }
}

/** What one object has under the names of another; null where it has nothing. */
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
