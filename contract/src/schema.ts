import type { FieldDefinition } from './field-definition.ts'
import type { RelatedType, ResourceName } from './resource.ts'

/** The operations that a name supports. */
type Usable = {
  /** Whether it can be sent in a write. */
  writable: boolean
  /** Whether lists can be sorted by it. */
  sortable: boolean
  /** Whether a record must have a value. */
  required: boolean
  /** Whether no two records can have the same value. */
  unique: boolean
  /** The operators of filters that it takes; none if it cannot be filtered by. */
  operators: readonly string[]
}

/** A native attribute, or a name that only writes or filters take. */
export type AttributeSchema = Usable & {
  type: 'id' | 'text' | 'reference' | 'references' | 'external_ids' | 'choice' | 'time' | 'boolean'
  /** Whether records show it. */
  readable: boolean
  /** The type that a reference points to, and the relation that shows it. */
  to?: RelatedType
  relation?: string
  /** The name under which `include` shows it, if records do not show it otherwise. */
  include?: string
  /** All values that there are. */
  values?: readonly string[]
}

export type RelationSchema = Usable & {
  type: RelatedType
  many: boolean
  /** Whether `include` takes it. */
  includable: boolean
  /** Whether filters take conditions on the related records. */
  nested_conditions: boolean
  /** The attribute with which it is written. */
  written_as?: string
}

export type CountSchema = Usable & { type: 'integer'; include: string }

/** The definition of a custom field, and the operations that its values support. */
export type CustomFieldSchema = Omit<FieldDefinition, 'key' | 'number' | 'system' | 'entity_type' | 'code'> &
  Usable & {
    /** Whether it can be the `match.field` of an upsert. */
    matchable: boolean
    /** Operators of parts of a value, such as the `domain` of an email address. */
    parts: Readonly<Record<string, readonly string[]>>
  }

/** Everything that a workspace's records of one resource have, by name. */
export type ResourceSchema = {
  version: number
  attributes: Readonly<Record<string, AttributeSchema>>
  relations: Readonly<Record<string, RelationSchema>>
  counts: Readonly<Record<string, CountSchema>>
  custom_fields: Readonly<Record<string, CustomFieldSchema>>
}

export type SchemaObject = { id: ResourceName; type: 'schemas'; attributes: ResourceSchema }

export const schemaFormats = ['json-schema'] as const

/** An option of a field as an object of its own. The first position is 1. */
export type OptionObject = {
  id: string
  type: 'options'
  attributes: { label: string; color: string | null; position: number }
}
