import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import type { RecordRow } from '../db/records.ts'
import { loadRecords } from '../db/related.ts'
import type { Hit } from '../db/search-records.ts'
import type { Scope } from '../scope.ts'
import { parseStored } from './present.ts'
import type { Found } from './search.ts'

/** Found records with what tells them apart from others of the same name. */
export async function presentHits(
  scope: Scope,
  resource: Resource,
  definitions: Definitions,
  hits: readonly Hit[],
): Promise<Found[]> {
  const ids = hits.map((hit) => hit.id)
  const rows = new Map((await loadRecords(scope, resource.type, ids)).map((row) => [row.id, row]))
  const companies = await companiesOf(scope, [...rows.values()])
  const fields = definitions[resource.type].list
  return hits.flatMap(({ id, value }) => {
    const row = rows.get(id)
    if (!row) return []
    const detail = value ?? addressIn(row, fields) ?? companies.get(row.company_id ?? '') ?? choiceIn(row, fields)
    return [{ resource: resource.type, id, name: row[resource.label] ?? '', detail: detail ?? null }]
  })
}

async function companiesOf(scope: Scope, rows: readonly RecordRow[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap((row) => row.company_id ?? []))
  const companies = await loadRecords(scope, 'companies', [...ids])
  return new Map(companies.map((company) => [company.id, company.name ?? '']))
}

const addresses: ReadonlySet<string> = new Set(['email', 'domain', 'phone'])

function addressIn(row: RecordRow, fields: readonly FieldDefinition[]): string | undefined {
  const held = firstHeld(row, fields, ({ type }) => addresses.has(type))
  return held && Array.isArray(held.value) ? held.value[0] : undefined
}

/** The stage of an opportunity, say, or the status of a task. */
function choiceIn(row: RecordRow, fields: readonly FieldDefinition[]): string | undefined {
  const held = firstHeld(row, fields, ({ type, options }) => options.length > 0 && !fieldTypes[type].list)
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
