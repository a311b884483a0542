import type { Field } from '../../api/fields.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { textIn } from '../../fields/values.ts'
import { formatDayNear } from '../../format/moments.ts'
import { propertyOf } from '../../properties/property.ts'
import { customChange } from '../../properties/property-change.ts'
import { putChange } from '../../properties/property-draft.ts'
import { valueOn } from './on-day.ts'

/** Moves a record to another day. It is there at once, and saved when the service has stored it. */
export function useMoveDay(field: Field): (record: ApiRecord, day: string) => void {
  const slug = useSlug()
  return (record, day) => {
    const before = record.attributes.custom_fields[field.code] ?? null
    const message = `Moved ${nameOf(record)} to ${formatDayNear(day)}`
    const told = { message, undo: customChange(field, before) }
    const change = customChange(field, valueOn(day, field, textIn(before)))
    putChange({ slug, property: propertyOf(field), record, told, direct: true }, change, 'waiting')
  }
}
