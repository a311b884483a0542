import type { ApiRecord } from '../api/records.ts'
import type { Property } from './property.ts'

/** Whether a record says anything under a property. */
export function hasValue(property: Property, record: ApiRecord): boolean {
  if (property.kind === 'custom') {
    const value = record.attributes.custom_fields[property.field.code]
    return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined
  }
  if (property.kind === 'count') return Boolean(record.attributes[property.attribute])
  if (!('include' in property)) return true
  const linkage = record.relationships?.[property.include]?.data
  return Array.isArray(linkage) ? linkage.length > 0 : linkage != null
}
