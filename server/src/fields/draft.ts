import {
  type FieldDefinition,
  type FieldSettings,
  type fieldDraft,
  settingsInput,
} from '@kith/contract/field-definition'
import type { FieldType } from '@kith/contract/field-type'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { OPTIONS_MAX, VALUES_DEFAULT, VALUES_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { readSent, whole } from '@kith/contract/shape'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { parseOptions, type SentField, typesThat, wantedOptions } from './options.ts'

/** The properties of a field that its creator chooses and that can be changed later. */
type Draft = Pick<FieldDefinition, keyof typeof fieldDraft>

/** Parses the sent keys; absent keys keep their value from `before`. Problems are reported. */
export function parseDraft(
  sent: SentField,
  {
    before,
    type,
    others,
    at,
  }: {
    before: Draft
    type: FieldTypeName
    /** The other fields of the resource. */
    others: readonly StoredField[]
    at: Date
  },
  report: Report,
): Draft {
  const { description = before.description, required = before.required } = sent
  return {
    name: isFreeName(sent.name, others, report) ? sent.name : before.name,
    description,
    required,
    unique: parseUnique(sent.unique, type, report) ?? before.unique,
    ...parseValueCount(sent, { type, before }, report),
    position: sent.position === undefined ? before.position : Math.min(sent.position, countActive(others) + 1),
    settings: parseSettings(sent.settings, { type, before: before.settings }, report),
    options: parseChoices(sent, { type, before: before.options, at }, report),
  }
}

/** The defaults of a new field of the type. It goes last. */
export function blankDraft(type: FieldTypeName, others: readonly StoredField[]): Draft {
  return {
    name: '',
    description: null,
    required: false,
    unique: false,
    ...usualCount(type),
    position: countActive(others) + 1,
    settings: usualSettings(type),
    options: [],
  }
}

export function countActive(fields: readonly StoredField[]): number {
  return fields.filter((field) => field.archived_at === null).length
}

function isFreeName(name: string | undefined, others: readonly StoredField[], report: Report): name is string {
  if (name === undefined) return false
  const holder = others.find((field) => fold(field.name) === fold(name))
  if (!holder) return true
  const state = holder.archived_at === null ? 'field' : 'archived field'
  report('name', `The name is taken by the ${state} with the code ${holder.code}. Choose another one.`)
  return false
}

function parseUnique(unique: boolean | undefined, type: FieldTypeName, report: Report): boolean | undefined {
  if (!unique || fieldTypes[type].canBeUnique) return unique
  report('unique', `A ${type} field cannot be unique. Types that can: ${typesThat((one) => one.canBeUnique)}.`)
  return undefined
}

function parseChoices(
  sent: SentField,
  { type, before, at }: { type: FieldTypeName; before: Draft['options']; at: Date },
  report: Report,
): Draft['options'] {
  const wanted = wantedOptions(sent, before, report)
  if (wanted === undefined) return before
  if (fieldTypes[type].hasOptions || wanted.length === 0) return parseOptions(wanted, { before, at }, report)
  report('options', `A ${type} field has no options. Types that have: ${typesThat((one) => one.hasOptions === true)}.`)
  return before
}

/** Reads `settings`: an absent key keeps its value, null resets it to the default. */
function parseSettings(
  raw: unknown,
  { type, before }: { type: FieldTypeName; before: FieldSettings },
  report: Report,
): FieldSettings {
  if (raw === undefined) return before
  const usual = usualSettings(type)
  if (raw === null) return usual
  const taken = Object.fromEntries(Object.entries(settingsInput).filter(([name]) => name in usual))
  return { ...before, ...readSent(withDefaults(raw, usual), taken, report, { path: 'settings' }) }
}

function withDefaults(raw: unknown, usual: FieldSettings): unknown {
  if (!isObject(raw)) return raw
  const all: Readonly<Record<string, unknown>> = usual
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, value === null ? all[name] : value]))
}

/** All settings of the type with their defaults, so that readers need not know the defaults. */
export function usualSettings(type: FieldTypeName): FieldSettings {
  return { ...fieldTypes[type].settings }
}

/** How many values a record may hold of a field. */
type ValueCount = { multiple: boolean; max_values: number }

/** Reads `multiple` and `max_values`, which depend on each other and on the type. */
function parseValueCount(
  sent: SentField,
  { type, before }: { type: FieldTypeName; before: ValueCount },
  report: Report,
): ValueCount {
  const multiple = parseMultiple(sent.multiple, type, report) ?? before.multiple
  if (!fieldTypes[type].repeatable || !multiple) {
    if (sent.max_values !== undefined) checkFixed(sent.max_values, type, report)
    return { multiple, max_values: usualCount(type).max_values }
  }
  const limit = before.multiple ? before.max_values : VALUES_DEFAULT
  if (sent.max_values === undefined) return { multiple, max_values: limit }
  const most = sent.max_values ?? VALUES_DEFAULT
  return { multiple, max_values: whole({ from: 1, to: VALUES_MAX }).parse(most, 'max_values', report) ?? limit }
}

/** The default: one value, except for the types that are always lists. */
export function usualCount(type: FieldTypeName): ValueCount {
  const { list, hasOptions, repeatable } = fieldTypes[type]
  if (!list || repeatable === 'optional') return { multiple: false, max_values: 1 }
  // A list of choices can hold every option.
  return { multiple: true, max_values: hasOptions ? OPTIONS_MAX : VALUES_DEFAULT }
}

function parseMultiple(sent: boolean | null | undefined, type: FieldTypeName, report: Report): boolean | undefined {
  const usual = usualCount(type).multiple
  const multiple = sent === null ? usual : sent
  if (multiple === undefined || multiple === usual || isOptional(fieldTypes[type])) return multiple
  const always = usual ? 'always takes several values' : 'takes one value'
  report('multiple', `A ${type} field ${always}. Types with a choice: ${typesThat(isOptional)}.`)
  return undefined
}

function isOptional({ repeatable }: FieldType): boolean {
  return repeatable === 'optional'
}

function checkFixed(raw: unknown, type: FieldTypeName, report: Report): void {
  const fixed = usualCount(type).max_values
  if (raw === null || raw === fixed) return
  if (isOptional(fieldTypes[type])) report('max_values', 'The max_values must be 1 unless the field is multiple.')
  else report('max_values', `The max_values of a ${type} field is always ${fixed}.`)
}
