import type { FieldDefinition } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import './numbering-plans.ts'

/** The match key of an upsert's `match.value`, or undefined where the field could never hold such a value. */
export function matchKeyOf(field: FieldDefinition, value: string): string | undefined {
  const type = fieldTypes[field.type]
  if (!type.textLike) return undefined
  const stored = type.parse(value.trim(), { field, path: '', report: ignore })
  if (stored === null || stored === undefined) return undefined
  return type.index(stored, field)[0]?.match_key ?? undefined
}

function ignore(): void {}
