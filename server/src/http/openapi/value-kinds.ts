import type { FieldTypeName } from '@kith/contract/field-type'
import { fieldTypeNames } from '@kith/contract/field-type'
import type { ResourceName } from '@kith/contract/resource'
import { startingFields } from '../../fields/starting-fields.ts'

/** Field types whose values are read, written and filtered alike, under the name that their schemas share. */
export const valueKinds = {
  Text: ['text'],
  LongText: ['textarea', 'rich-text'],
  Number: ['number', 'currency'],
  Date: ['date'],
  DateTime: ['date-time'],
  Boolean: ['checkbox', 'toggle'],
  Choice: ['radio', 'toggle-buttons', 'select'],
  Choices: ['checkbox-list', 'multi-select'],
  Tags: ['tags-input'],
  Emails: ['email'],
  Phones: ['phone'],
  Links: ['link'],
  Domains: ['domain'],
} as const satisfies Readonly<Record<string, readonly FieldTypeName[]>>

export type ValueKind = keyof typeof valueKinds

// The keys of the table above and no others.
export const kindNames = Object.keys(valueKinds) as ValueKind[]

export function typesOf(kind: ValueKind): readonly FieldTypeName[] {
  return valueKinds[kind]
}

const kinds: ReadonlyMap<FieldTypeName, ValueKind> = new Map(
  kindNames.flatMap((kind) => typesOf(kind).map((type) => [type, kind] as const)),
)

export function kindOf(type: FieldTypeName): ValueKind {
  const kind = kinds.get(type)
  if (kind === undefined) throw new Error(`The field type ${type} has no schema. Known: ${fieldTypeNames.join(', ')}.`)
  return kind
}

/** The fields that a resource has in every workspace, and that can therefore be promised, by their code. */
export function systemFields(resource: ResourceName): Map<string, ValueKind> {
  const system = startingFields[resource].filter((field) => field.system)
  return new Map(system.map(({ code, type }) => [code, kindOf(type)]))
}
