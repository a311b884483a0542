import type { WireValue } from '@kith/contract/field-type'
import type { QueryClient } from '@tanstack/react-query'
import type { ApiRecord, IncludedObject, Linkage, RecordDocument, RecordPage } from './records.ts'

/** What a write sends: attributes by name, custom values by code. */
export type RecordInput = { [attribute: string]: unknown; custom_fields?: Record<string, WireValue> }

/** One change of one record: what is sent, and the record as it will be read. */
export type PropertyChange = {
  input: RecordInput
  shown: RecordInput
  /** Relations that change with it, and the records at their other ends. */
  relationships?: Record<string, { data: Linkage }>
  included?: IncludedObject[]
}

/** How a record differs from what is remembered of it. */
export type Patch = {
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
  const { custom_fields, ...attributes } = input
  const found: RecordInput = {}
  for (const name of Object.keys(attributes)) found[name] = from[name] ?? null
  if (!custom_fields) return found
  const values = Object.keys(custom_fields).map((code) => [code, from.custom_fields?.[code] ?? null])
  return { ...found, custom_fields: Object.fromEntries(values) }
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
