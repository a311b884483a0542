import type { FieldDefinition, FieldOption } from '../field-definition.ts'
import type { FieldTypeName, IndexEntry, StoredValue, WireValue } from '../field-type.ts'
import { fieldTypes } from '../field-types.ts'
import type { Operator, Test } from '../filter.ts'
import { type Issue, reportInto } from '../issue.ts'

/** A field for tests, named "It", with code "it". */
export function aField(type: FieldTypeName, over: Partial<FieldDefinition> = {}): FieldDefinition {
  return {
    id: '01k0000000000000000000f1e1',
    key: 'it',
    entity_type: 'companies',
    code: 'it',
    name: 'It',
    type,
    description: null,
    required: false,
    unique: false,
    multiple: true,
    max_values: 5,
    position: 0,
    system: false,
    settings: {},
    options: [],
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...over,
  }
}

/** Options with these labels; their ids end in their place: …0000, …0001. */
export function someOptions(...labels: string[]): FieldOption[] {
  return labels.map((label, place) => ({ id: optionId(place), label, color: null }))
}

export function optionId(place: number): string {
  return `01k000000000000000000a${String(place).padStart(4, '0')}`
}

type Outcome<T> = { value: T | undefined; issues: Issue[] }

export function parsed(field: FieldDefinition, raw: unknown): Outcome<StoredValue | null> {
  const issues: Issue[] = []
  const value = fieldTypes[field.type].parse(raw, field, 'custom_fields.it', reportInto(issues))
  return { value, issues }
}

/** The paths of the problems that a value has, each with its message. */
export function problems(field: FieldDefinition, raw: unknown): string[] {
  const { value, issues } = parsed(field, raw)
  return value === undefined ? issues.map(({ path, message }) => `${path}: ${message}`) : []
}

export function asked(field: FieldDefinition, operator: Operator, raw: unknown, loose = false): Outcome<Test> {
  const issues: Issue[] = []
  const value = fieldTypes[field.type].operand(operator, raw, field, `it.${operator}`, reportInto(issues), loose)
  return { value, issues }
}

/** The paths of the problems that an operand has, each with its message. */
export function operandProblems(field: FieldDefinition, operator: Operator, raw: unknown, loose = false): string[] {
  const { value, issues } = asked(field, operator, raw, loose)
  return value === undefined ? issues.map(({ path, message }) => `${path}: ${message}`) : []
}

export function presented(field: FieldDefinition, stored: StoredValue): WireValue {
  return fieldTypes[field.type].present(stored, field)
}

export function indexed(field: FieldDefinition, stored: StoredValue): IndexEntry[] {
  return fieldTypes[field.type].index(stored, field)
}

/** An index row of which only this is set. */
export function entry(over: Partial<IndexEntry>): IndexEntry {
  return { match_key: null, number_key: null, host_key: null, exact: null, ...over }
}
