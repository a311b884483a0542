import type { FieldDefinition } from '../src/field-definition.ts'
import { type FieldTypeName, fieldTypeNames } from '../src/field-type-name.ts'
import { schemaOf } from '../src/registry.ts'
import type { Schema } from '../src/resource.ts'

/** A field for tests: what is not given is as a new field has it. */
export function fieldOf(given: Partial<FieldDefinition> & { type: FieldTypeName }): FieldDefinition {
  const code = given.code ?? given.type.replaceAll('-', '_')
  return {
    id: `field-${code}`,
    number: 1,
    key: code,
    entity_type: 'companies',
    code,
    name: code,
    description: null,
    required: false,
    unique: false,
    multiple: true,
    max_values: 5,
    position: 0,
    system: false,
    settings: {},
    options: ['Low', 'High', 'A, B'].map((label, i) => ({ id: optionId(i), label, color: null })),
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...given,
  }
}

export function optionId(index: number): string {
  return `01jd000000000000000000000${index}`
}

/**
 * A workspace whose companies have one field of each type, named like it, and whose people and opportunities have a
 * few.
 */
export function sampleSchema(): Schema {
  return schemaOf(
    [],
    [
      ...fieldTypeNames.map((type) => fieldOf({ type })),
      fieldOf({ type: 'email', code: 'emails', entity_type: 'people' }),
      fieldOf({ type: 'text', code: 'job_title', entity_type: 'people' }),
      fieldOf({ type: 'select', code: 'stage', entity_type: 'opportunities' }),
      fieldOf({ type: 'text', code: 'name', entity_type: 'tasks' }),
    ],
  )
}
