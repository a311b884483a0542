import type { FieldDefinition } from '../field-definition.ts'

/** A row of `GET /fields`: a definition as those see it who manage it. */
export type ManagedField = Omit<FieldDefinition, 'key' | 'number'> & {
  archived_at: string | null
  /** How many records hold a value. Null in a large workspace. */
  values: number | null
}
