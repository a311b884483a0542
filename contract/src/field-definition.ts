import type { FieldTypeName } from './field-type-name.ts'
import type { ResourceName } from './resource.ts'

export type FieldOption = { id: string; label: string; color: string | null }

export type FieldSettings = {
  /** ISO 4217 code of a currency field. */
  currency?: string
  /** Decimals that a currency field keeps. */
  decimals?: 0 | 2 | 3
  /** Longest value of a text field, in code points. */
  max_length?: number
}

/** A custom field as a workspace has defined it. */
export type FieldDefinition = {
  id: string
  /** By which storage refers to it. No caller sees it. */
  number: number
  /**
   * The name of its values in the stored JSON: the code, or the code and a number where an earlier field of that code
   * was deleted.
   */
  key: string
  entity_type: ResourceName
  code: string
  name: string
  type: FieldTypeName
  description: string | null
  required: boolean
  unique: boolean
  multiple: boolean
  max_values: number
  position: number
  system: boolean
  settings: FieldSettings
  options: readonly FieldOption[]
  /** Removed options that some records still hold: they are cleared in steps. They can be read, but not written. */
  leaving?: readonly FieldOption[]
  created_at: string
  updated_at: string
}

/** The active fields of one resource in their order. */
export type FieldSet = { list: readonly FieldDefinition[]; byCode: ReadonlyMap<string, FieldDefinition> }

/** The active fields of a workspace. */
export type Definitions = Readonly<Record<ResourceName, FieldSet>>
