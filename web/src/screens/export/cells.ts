import type { WireValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { nameOf } from '../../api/records.ts'
import { type Property, sources } from '../../properties/property.ts'
import { relatedRecord, relatedTo } from '../../properties/related.ts'
import type { RecordRow } from '../records/record-window.ts'

/** A value of a file. Days and moments are told apart, because only moments depend on the time zone of the reader. */
export type Cell = null | string | number | boolean | { list: readonly string[] } | { day: string } | { moment: string }

/** The value of a property as the list shows it: related records and members by name. */
export function cellOf(property: Property, { record, included }: RecordRow): Cell {
  const { attributes } = record
  switch (property.kind) {
    case 'name':
      return nameOf(record)
    case 'custom':
      return customCell(property, attributes.custom_fields[property.field.code] ?? null)
    case 'reference':
    case 'creator': {
      const [related] = relatedTo(record, property.include, included)
      return related ? related.name || related.id : null
    }
    case 'related': {
      const other = relatedRecord(record, property, included)
      return other ? cellOf(property.of, { record: other, included }) : null
    }
    case 'links':
      return { list: relatedTo(record, property.include, included).map(({ id, name }) => name || id) }
    case 'time':
      return { moment: String(attributes[property.key]) }
    case 'source':
      return sources[String(attributes[property.key])] ?? null
    case 'count':
      return Number(attributes[property.attribute] ?? 0)
  }
}

function customCell({ field }: Extract<Property, { kind: 'custom' }>, value: WireValue): Cell {
  if (value === null) return null
  if (Array.isArray(value)) return { list: value.map(labelOf) }
  const { kind } = fieldTypes[field.type]
  if (kind === 'Date') return { day: labelOf(value) }
  if (kind === 'DateTime') return { moment: labelOf(value) }
  return typeof value === 'number' || typeof value === 'boolean' ? value : labelOf(value)
}

function labelOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'label' in value ? String(value.label) : String(value)
}
