import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { boundedKey, fold } from '@kith/contract/fold'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { SearchText } from '../storage/engines/engine.ts'

/** The folded name by which records sort and are found. */
export function nameKey(label: string): string {
  return boundedKey(fold(label))
}

type Values = Iterable<readonly [FieldDefinition, StoredValue]>

/** The texts of a record that `$contains` searches. */
export function searchTexts(
  resource: Resource,
  { id, label, values }: { id: string; label?: string | undefined; values: Values },
): SearchText[] {
  const texts: SearchText[] = []
  if (label !== undefined) texts.push({ record_id: id, field: resource.type, text: fold(label) })
  for (const [field, stored] of values) {
    const text = fieldTypes[field.type].searchText(stored)
    if (text !== null) texts.push({ record_id: id, field: field.id, text })
  }
  return texts
}

/** A moment that is now, but always behind the one before. */
export function momentAfter(scope: Scope, previous: string): string {
  return new Date(Math.max(scope.now().getTime(), Date.parse(previous) + 1)).toISOString()
}
