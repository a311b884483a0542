import type { FieldDefinition, FieldSettings } from './field-definition.ts'
import type { FieldTypeName } from './field-type-name.ts'
import type { Test } from './filter.ts'
import type { HostRule } from './host.ts'
import type { Report } from './issue.ts'
import type { Operator } from './operators.ts'

/** Types whose values have the same form share a kind: one schema in OpenAPI, one rule for sample data. */
export const valueKinds = [
  'Text',
  'LongText',
  'Number',
  'Date',
  'DateTime',
  'Boolean',
  'Choice',
  'Choices',
  'Tags',
  'Emails',
  'Phones',
  'Links',
  'Domains',
  'Reference',
] as const
export type ValueKind = (typeof valueKinds)[number]

/**
 * A value in the record's JSON: choices as option ids, references as a list of ids, everything else in the form in
 * which it is read.
 */
export type StoredValue = string | number | boolean | readonly string[]

/** A record or member that a value refers to, as it is read. */
export type Identifier = { id: string; type: string }

/** A value in a request or response. `null` and `[]` mean unset. */
export type WireValue =
  | null
  | string
  | number
  | boolean
  | { id: string; label: string }
  | readonly string[]
  | readonly { id: string; label: string }[]
  | Identifier
  | readonly Identifier[]

/** One row of the index over a record's values. Rows of one record and field are distinct. */
export type IndexEntry = {
  /** The folded form in which values are compared, sorted and looked up; null where `number_key` is used. */
  match_key: string | null
  number_key: number | null
  /** The host of an email address or a link. */
  host_key: string | null
  /** The value as typed, where it differs from its match key and an exact comparison needs it (text and tags). */
  exact: string | null
}

/** The column of the index that holds a value. */
type KeyColumn = 'match_key' | 'number_key'

/**
 * Reads the name of a record or member in a value: its id, or an empty text where it must be looked up; then `put` gets
 * the id. Undefined if a problem was reported.
 */
export type ReadName = (raw: unknown, place: NamedPlace) => string | undefined
type NamedPlace = { path: string; report: Report; put(id: string): void }

/**
 * The field that a value belongs to, its path in the request, and the function that collects problems. Without
 * `readName` records and members are named by their ids.
 */
export type Place = { field: FieldDefinition; path: string; report: Report; readName?: ReadName | undefined }

/** `loose` is set for query strings: numbers and booleans arrive as text, and choice lists may be joined by commas. */
export type OperandPlace = Place & { loose: boolean }

/** How a value is written and filtered, for a reader of the API. */
type FieldExample = { value: unknown; filter: Readonly<Record<string, unknown>> }

/** Everything Kith knows about a type of field, in one place. Pure: no clock, no database. */
export type FieldType = {
  name: FieldTypeName
  kind: ValueKind
  /** Whether the stored value is a list. `isList` tells whether it is read as one. */
  list: boolean
  /** Whether values are the ids of records or members. They are stored as a list, also in a field with one value. */
  refersTo?: 'records' | 'members'
  /** Whether a field can be set to hold several values: for most types it cannot, tags always do. */
  repeatable?: 'optional' | 'always'
  sortable: boolean
  canBeUnique: boolean
  /** Can be `match.field` of an upsert. */
  textLike: boolean
  /** The operators it takes, `$is_empty` included. */
  operators: readonly Operator[]
  /** The index column that tells values apart. Long texts have none. */
  valueKey?: KeyColumn
  /** The rule for hosts, if the type has a `domain` sub-field in filters. */
  hosts?: HostRule
  /** The part of a value that makes two records likely duplicates if the field is not unique. */
  alikeBy?: 'value' | 'host'
  /** Whether values are options: stored by id, read with their label. Other types read values as stored. */
  hasOptions?: true
  /** Whether search finds a record by its values. An address also tells records of one name apart. */
  searched?: 'address' | 'text'
  /** A date or a time. */
  isTime?: true
  /** What its values are to a summary that groups by them. */
  groupedBy?: 'choice' | 'flag' | 'day' | 'time'
  /** Text of several lines, too long for a column of a list. */
  multiline?: 'plain' | 'markdown'
  /** Of types that can be summed: how many decimals a value has. Averages have two more. */
  decimals?(field: FieldDefinition): number
  /** The settings of a new field. The keys are all settings that the type has. */
  settings?: Readonly<FieldSettings>
  /** Values that sample data picks from, where a type takes only a few. */
  samples?: readonly StoredValue[]
  example(field: Pick<FieldDefinition, 'options'>): FieldExample
  /**
   * Reads what a caller sent: `null` for an empty value (null, "" for text and single choices, [] and null for lists),
   * `undefined` when a problem was reported, otherwise the value to store.
   */
  parse(raw: unknown, place: Place): StoredValue | null | undefined
  /** The wire form of a stored value. Ids of deleted options, and those in `gone`, are left out. */
  present(stored: StoredValue, field: FieldDefinition, gone?: ReadonlySet<string>): WireValue
  /** The rows of the index for a stored value. */
  index(stored: StoredValue, field: FieldDefinition): IndexEntry[]
  /** All match keys in sort order, for types with few values and many records per value. */
  orderedKeys?(field: FieldDefinition): string[]
  /** The folded text that `$contains` searches, or null for types without `$contains`. */
  searchText(stored: StoredValue): string | null
  /** Reads the operand of a filter operator. Never called for `$is_empty`, which is the same for all types. */
  operand(operator: Operator, raw: unknown, place: OperandPlace): Test | undefined
}
