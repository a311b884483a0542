import type { WireValue } from '@kith/contract/field-type'
import type { QueryClient } from '@tanstack/react-query'
import type { ApiRecord, IncludedObject, Linkage, RecordDocument, RecordPage } from './records.ts'

/** What a write sends: attributes by name, custom values by code. */
export type RecordInput = { [attribute: string]: unknown; custom_fields?: Record<string, WireValue> }

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
