import type { Field } from '../../api/fields.ts'
import type { ApiRecord } from '../../api/records.ts'
import { choiceIn } from '../../fields/values.ts'
import type { FilterObject } from '../records/list-state.ts'

/** A column of a board: the records that have one option, or none. */
export type BoardColumn = {
  id: string
  label: string
  color: string | null
  option: { id: string; label: string } | null
}

export const EMPTY = 'empty'

export function columnsOf(field: Field): BoardColumn[] {
  const options = field.options.map(({ id, label, color }) => ({ id, label, color, option: { id, label } }))
  return [...options, { id: EMPTY, label: `No ${field.name.toLowerCase()}`, color: null, option: null }]
}

/** The records of a column. */
export function columnFilter(field: Field, { option }: BoardColumn): FilterObject {
  return { custom_fields: { [field.code]: option ? { $eq: option.id } : { $is_empty: true } } }
}

/** The column of a record. */
export function columnIn({ attributes }: ApiRecord, { code }: Field): string {
  return choiceIn(attributes.custom_fields[code])?.id ?? EMPTY
}
