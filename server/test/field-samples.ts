import type { ValueKind } from '@kith/contract/field-type'
import { type FieldTypeName, fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'

/** Kinds of values that are their own. What records refer to has tests of its own. */
export type OwnKind = Exclude<ValueKind, 'Reference'>
export type ValueTypeName = Exclude<FieldTypeName, 'record' | 'member'>

// Those that are left are of these types.
export const valueTypeNames = fieldTypeNames.filter((name) => !fieldTypes[name].refersTo) as readonly ValueTypeName[]

export function kindOf(name: ValueTypeName): OwnKind {
  // Only references have the kind that is left out.
  return fieldTypes[name].kind as OwnKind
}

/** For each field type: how such a field is made, a value as it is read, and another one. */
export type Sample = { rest: Record<string, unknown>; one: unknown; other: unknown; unset: null | [] }

/** Choices are given by label; they are read as {"id","label"}. */
const values: Readonly<Record<OwnKind, readonly [one: unknown, other: unknown]>> = {
  Text: ['one', 'other'],
  LongText: ['one\nline', '# Other'],
  Number: [1.5, 0],
  Date: ['2026-11-14', '2024-02-29'],
  DateTime: ['2026-11-14T09:30:00.000Z', '2024-02-29T00:00:00.001Z'],
  Boolean: [true, false],
  Choice: ['A', 'B'],
  Choices: [['A'], ['B', 'A']],
  Tags: [['One'], ['other', 'one']],
  Emails: [['One@x.example'], ['b@x.example', 'a@x.example']],
  Phones: [['+14155550100'], ['+14155550101;ext=1', '+14155550102']],
  Links: [['https://x.example/A'], ['x.example', 'y.example/b']],
  Domains: [['x.example'], ['y.example', 'z.example']],
}

// The names are all types.
export const samples = Object.fromEntries(valueTypeNames.map((name) => [name, sampleOf(name)])) as Readonly<
  Record<ValueTypeName, Sample>
>

function sampleOf(name: ValueTypeName): Sample {
  const { list } = fieldTypes[name]
  const [one, other] = takenValues(name) ?? values[kindOf(name)]
  return { rest: definitionOf(name, ['A', 'B']), one, other, unset: list ? [] : null }
}

/** The values of a type that takes only a few, each once. */
export function takenValues(name: FieldTypeName): readonly unknown[] | undefined {
  const { samples: few } = fieldTypes[name]
  return few && [...new Set(few)]
}

/** What the definition of a field needs besides its name and type: options, or several values if it can hold them. */
export function definitionOf(name: FieldTypeName, options: readonly string[]): Record<string, unknown> {
  const { hasOptions, repeatable } = fieldTypes[name]
  return { ...(hasOptions ? { options } : {}), ...(repeatable === 'optional' ? { multiple: true } : {}) }
}

/** A value as it is read, its choices as their labels. */
export function labelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(labelled)
  return typeof value === 'object' && value !== null && 'label' in value ? value.label : value
}
