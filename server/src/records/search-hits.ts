import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { searchFold, wordsIn } from '@kith/contract/search-words'
import type { Scope } from '../scope/scope.ts'
import { loadLabels, loadRecords } from '../storage/query/related.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { completeRows } from './complete-rows.ts'
import { parseStored } from './stored-values.ts'

/** A search result. `detail` distinguishes it from others of the same name. */
export type Found = { resource: ResourceName; id: string; name: string; detail: string | null; created_at: string }

/** A record that matches. */
export type Hit = Pick<Found, 'resource' | 'id' | 'name' | 'created_at'>

type Presenting = { definitions: Definitions; query: string; hits: readonly Hit[] }

export async function presentHits(scope: Scope, { definitions, query, hits }: Presenting): Promise<Found[]> {
  const details = new Map<string, string | undefined>()
  for (const [type, some] of Map.groupBy(hits, (hit) => hit.resource)) {
    const ids = some.map((hit) => hit.id)
    for (const [id, detail] of await detailsOf(scope, type, { definitions, query, ids })) details.set(id, detail)
  }
  return hits.map(({ resource, id, name, created_at }) => {
    return { resource, id, name, detail: details.get(id) ?? null, created_at }
  })
}

type Detailed = { definitions: Definitions; query: string; ids: readonly string[] }

/** The address that matches or the first one, the company, or a choice. */
async function detailsOf(scope: Scope, type: ResourceName, { definitions, query, ids }: Detailed) {
  const fields = definitions[type].list
  const keys = new Set(fields.filter(isDetail).map((field) => field.key))
  const rows: RecordRow[] = []
  for await (const some of loadRecords(scope, type, ids)) {
    rows.push(...(await completeRows(scope, type, { rows: some, keys })))
  }
  const companies = await companiesOf(scope, rows)
  const words = wordsIn(searchFold(query))
  return rows.map((row): [string, string | undefined] => {
    const address = addressIn(row, { fields, words })
    return [row.id, address ?? companies.get(row.company_id ?? '') ?? choiceIn(row, fields)]
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
  return fieldTypes[type].searched === 'address'
}

function isChoice({ type, options }: FieldDefinition): boolean {
  return options.length > 0 && !fieldTypes[type].list
}

type Sought = { fields: readonly FieldDefinition[]; words: readonly string[] }

/** The address that has the most of the words, and of several the first. */
function addressIn(row: RecordRow, { fields, words }: Sought): string | undefined {
  const stored = parseStored(row.custom_fields)
  const addresses = fields.filter(isAddress).flatMap((field) => {
    const value = stored[field.key]
    return Array.isArray(value) ? value : []
  })
  const counts = addresses.map((address) => {
    const folded = searchFold(address)
    return words.filter((word) => folded.includes(word)).length
  })
  return addresses[counts.indexOf(Math.max(...counts))]
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
