import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import type { StoredRecord } from '../../storage/tables/records.ts'
import { keysOf } from '../check-input.ts'
import { parseStored, type StoredValues } from '../stored-values.ts'

/**
 * What a winner takes from the losers, oldest first, for fields that were not chosen: empty fields are filled, and
 * lists are joined up to the limit of the field.
 */
export function takenValues(
  fields: readonly FieldDefinition[],
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): Map<FieldDefinition, StoredValue> {
  const own = parseStored(winner.custom_fields)
  const others = losers.map((loser) => parseStored(loser.custom_fields))
  const taken = new Map<FieldDefinition, StoredValue>()
  for (const field of fields) {
    const values = [own, ...others].flatMap((stored) => stored[field.key] ?? [])
    const value = fieldTypes[field.type].list ? joined(field, [own, ...others]) : values[0]
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(own[field.key])) taken.set(field, value)
  }
  return taken
}

/** The winner's values first. Values that differ only in spelling are the same. */
function joined(field: FieldDefinition, all: readonly StoredValues[]): StoredValue | undefined {
  const values: string[] = []
  const known = new Set<string | number>()
  all.forEach((stored, index) => {
    for (const value of listIn(stored[field.key])) {
      const [key = value] = keysOf(field, [value])
      if (known.has(key) && index > 0) continue
      // The winner keeps its own values, even if the limit of the field is lower now.
      if (index > 0 && values.length >= field.max_values) return
      known.add(key)
      values.push(value)
    }
  })
  return values.length === 0 ? undefined : values
}

export function listIn(stored: StoredValue | null | undefined): readonly string[] {
  return Array.isArray(stored) ? stored : []
}

/** References that the winner lacks, from the oldest loser that has them. Hidden ones do not count. */
export function takenReferences(
  resource: Resource,
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): Map<string, string | null> {
  const taken = new Map<string, string | null>()
  for (const column of Object.keys(resource.references)) {
    // The registry's references are columns of the row.
    const [first] = [winner, ...losers].flatMap((record) => record[column as 'company_id'] ?? [])
    if (first !== undefined) taken.set(column, first)
  }
  return taken
}
