import type { FieldDefinition } from './field-definition.ts'
import type { Operator, Test } from './filter.ts'
import type { Report } from './issue.ts'

export const fieldTypeNames = [
  'text',
  'textarea',
  'rich-text',
  'number',
  'currency',
  'date',
  'date-time',
  'checkbox',
  'toggle',
  'radio',
  'toggle-buttons',
  'select',
  'checkbox-list',
  'multi-select',
  'tags-input',
  'email',
  'phone',
  'link',
  'domain',
] as const
export type FieldTypeName = (typeof fieldTypeNames)[number]

/** A value as it is kept in the record's JSON: choices as option ids, everything else in the form in which it is read. */
export type StoredValue = string | number | boolean | readonly string[]

/** A value as it goes over the wire. `null` and `[]` mean unset. */
export type WireValue =
  | null
  | string
  | number
  | boolean
  | { id: string; label: string }
  | readonly string[]
  | readonly { id: string; label: string }[]

/** One row of the index over a record's values. Rows of one record and field are distinct. */
export type IndexEntry = {
  /** The folded form in which values are compared, sorted and looked up; null where the number stands for it. */
  match_key: string | null
  number_key: number | null
  /** The host of an email address or a link. */
  host_key: string | null
  /** The value as typed, where it differs from its match key and an exact comparison needs it (text and tags). */
  exact: string | null
}

/** Everything Kith knows of a kind of value, in one place. Pure: no clock, no database. */
export type FieldType = {
  name: FieldTypeName
  /** Lists are read as `[]` when unset, single values as `null`. */
  list: boolean
  sortable: boolean
  canBeUnique: boolean
  /** Can be `match.field` of an upsert. */
  textLike: boolean
  /** The operators it takes, `$is_empty` among them. */
  operators: readonly Operator[]
  /** Whether the `domain` sub-field can be asked. */
  hosts: boolean
  /** Whether its values are options, stored by id and read with their label. Values of all other types are read as they are stored. */
  chooses: boolean
  /**
   * Reads what a caller sent: `null` when it says "empty" (null, "" for text and single choices, [] and null for lists),
   * `undefined` when a problem was reported, else the value to store.
   */
  parse(raw: unknown, field: FieldDefinition, path: string, report: Report): StoredValue | null | undefined
  /** The wire form of a stored value. Ids of options that are gone are left out. */
  present(stored: StoredValue, field: FieldDefinition): WireValue
  /** The rows that stand for a stored value in the index. */
  index(stored: StoredValue, field: FieldDefinition): IndexEntry[]
  /** The folded text in which `$contains` looks, or null for types that do not take it. */
  searchText(stored: StoredValue): string | null
  /**
   * Reads the operand of a filter operator (never `$is_empty`, which is the same for all types).
   * `loose` is set for query strings, where numbers and booleans arrive as text and choice lists may be joined by commas.
   */
  operand(
    operator: Operator,
    raw: unknown,
    field: FieldDefinition,
    path: string,
    report: Report,
    loose: boolean,
  ): Test | undefined
}
