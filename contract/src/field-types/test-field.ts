import type { FieldDefinition, FieldOption } from '../field-definition.ts'
import type { IndexEntry, StoredValue, WireValue } from '../field-type.ts'
import type { FieldTypeName } from '../field-type-name.ts'
import { fieldTypes } from '../field-types.ts'
import type { Test } from '../filter.ts'
import { type Issue, reportInto } from '../issue.ts'
import '../numbering-plans.ts'
import { type Operator, operators } from '../operators.ts'

/** A field for tests, named "It", with code "it". */
export function aField(type: FieldTypeName, over: Partial<FieldDefinition> = {}): FieldDefinition {
  return {
    id: '01k0000000000000000000f1e1',
    number: 1,
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
  const value = fieldTypes[field.type].parse(raw, { field, path: 'custom_fields.it', report: reportInto(issues) })
  return { value, issues }
}

/** The paths of the problems that a value has, each with its message. */
export function problems(field: FieldDefinition, raw: unknown): string[] {
  const { value, issues } = parsed(field, raw)
  return value === undefined ? issues.map(({ path, message }) => `${path}: ${message}`) : []
}

type TestFilter = Partial<Record<Operator, unknown>>

/** Reads the operand of one operator, as from JSON or (`loose`) from a query string. */
export function asked(field: FieldDefinition, filter: TestFilter, loose = false): Outcome<Test> {
  const issues: Issue[] = []
  const operator = operators.find((name) => name in filter) ?? '$eq'
  const place = { field, path: `it.${operator}`, report: reportInto(issues), loose }
  return { value: fieldTypes[field.type].operand(operator, filter[operator], place), issues }
}

/** The paths of the problems that an operand has, each with its message. */
export function operandProblems(field: FieldDefinition, filter: TestFilter, loose = false): string[] {
  const { value, issues } = asked(field, filter, loose)
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
