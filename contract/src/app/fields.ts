import type { FieldDefinition } from '../field-definition.ts'

/** A row of `GET /fields`: a definition as those see it who manage it. */
export type ManagedField = Omit<FieldDefinition, 'key'> & {
  archived_at: string | null
  /** How many records hold a value. Null in a large workspace: `GET /fields/{id}/values` counts one field. */
  values: number | null
}

/** `PATCH /fields/{id}`: `duplicates` says how many values more than one record holds, where it was made unique. */
export type UpdatedFieldAnswer = ManagedField & { duplicates: number }
