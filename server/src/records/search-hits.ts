import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadLabels, loadRecords } from '../storage/query/related.ts'
import type { Hit } from '../storage/query/search.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { completeRows } from './complete-rows.ts'
import { parseStored } from './stored-values.ts'

/** A search result. `detail` distinguishes it from others of the same name. */
export type Found = { resource: ResourceName; id: string; name: string; detail: string | null }

export async function presentHits(
  scope: Scope,
  resource: Resource,
  { definitions, hits }: { definitions: Definitions; hits: readonly Hit[] },
): Promise<Found[]> {
  const ids = hits.map((hit) => hit.id)
  const fields = definitions[resource.type].list
  const keys = new Set(fields.filter(isDetail).map((field) => field.key))
  const rows = new Map<string, RecordRow>()
  for await (const some of loadRecords(scope, resource.type, ids)) {
    for (const row of await completeRows(scope, resource.type, { rows: some, keys })) rows.set(row.id, row)
  }
  const companies = await companiesOf(scope, [...rows.values()])
  return hits.flatMap(({ id, value }) => {
    const row = rows.get(id)
    if (!row) return []
    const detail = value ?? addressIn(row, fields) ?? companies.get(row.company_id ?? '') ?? choiceIn(row, fields)
    return [{ resource: resource.type, id, name: row[resource.label] ?? '', detail: detail ?? null }]
  })
}

async function companiesOf(scope: Scope, rows: readonly RecordRow[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap((row) => row.company_id ?? []))
  return loadLabels(scope, registry.companies, [...ids])
}

function isDetail(field: FieldDefinition): boolean {
  return isAddress(field) || isChoice(field)
}

function isAddress({ type }: FieldDefinition): boolean {
  return fieldTypes[type].prefixes !== undefined
}

function isChoice({ type, options }: FieldDefinition): boolean {
  return options.length > 0 && !fieldTypes[type].list
}

function addressIn(row: RecordRow, fields: readonly FieldDefinition[]): string | undefined {
  const held = firstHeld(row, fields, isAddress)
  return held && Array.isArray(held.value) ? held.value[0] : undefined
}

/** For example the stage of an opportunity or the status of a task. */
function choiceIn(row: RecordRow, fields: readonly FieldDefinition[]): string | undefined {
  const held = firstHeld(row, fields, isChoice)
  return held?.field.options.find((option) => option.id === held.value)?.label
}

function firstHeld(
  row: RecordRow,
  fields: readonly FieldDefinition[],
  isWanted: (field: FieldDefinition) => boolean,
): { field: FieldDefinition; value: StoredValue } | undefined {
  const stored = parseStored(row.custom_fields)
  for (const field of fields) {
    const value = stored[field.key]
    if (value !== undefined && isWanted(field)) return { field, value }
  }
  return undefined
}
