import type { FieldDefinition, FieldSettings } from '@kith/contract/field-definition'
import type { FieldType } from '@kith/contract/field-type'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import {
  FIELD_NAME_MAX,
  FIELDS_PER_RESOURCE_MAX,
  OPTIONS_MAX,
  TEXT_MAX_LIMIT,
  VALUES_DEFAULT,
  VALUES_MAX,
} from '@kith/contract/limits'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import {
  parseDescription,
  parseFlag,
  parseLine,
  parseOptions,
  parseSent,
  parseWhole,
  type SentKeys,
  taken,
  typesThat,
  wantedOptions,
} from './options.ts'

const chosen = [
  'name',
  'description',
  'required',
  'unique',
  'multiple',
  'max_values',
  'position',
  'settings',
  'options',
] as const

/** The properties of a field that its creator chooses and that can be changed later. */
type Draft = Pick<FieldDefinition, (typeof chosen)[number]>

export const draftKeys: readonly string[] = chosen

/** Parses the sent keys; absent keys keep their value from `before`. Problems are reported. */
export function parseDraft(
  sent: SentKeys,
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
  const read = <Key extends keyof Draft>(key: Key, parse: (raw: unknown) => Draft[Key] | undefined) =>
    taken({ sent, key, before: before[key] }, parse)
  return {
    name: read('name', (raw) => parseFreeName(raw, others, report)),
    description: read('description', (raw) => parseDescription(raw, report)),
    required: read('required', (raw) => parseFlag(raw, 'required', report)),
    unique: read('unique', (raw) => parseUnique(raw, type, report)),
    ...parseValueCount(sent, { type, before }, report),
    position: read('position', (raw) => parsePosition(raw, others, report)),
    settings: parseSettings(sent, { type, before: before.settings }, report),
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

function parseFreeName(raw: unknown, others: readonly StoredField[], report: Report): string | undefined {
  const name = parseLine(raw, { key: 'name', max: FIELD_NAME_MAX }, report)
  const holder = name === undefined ? undefined : others.find((field) => fold(field.name) === fold(name))
  if (!holder) return name
  const state = holder.archived_at === null ? 'field' : 'archived field'
  report('name', `The name is taken by the ${state} with the code ${holder.code}. Choose another one.`)
  return undefined
}

function parseUnique(raw: unknown, type: FieldTypeName, report: Report): boolean | undefined {
  const unique = parseFlag(raw, 'unique', report)
  if (!unique || fieldTypes[type].canBeUnique) return unique
  report('unique', `A ${type} field cannot be unique. Types that can: ${typesThat((one) => one.canBeUnique)}.`)
  return undefined
}

/** Counted from 1. A larger number than the last position means the last position. */
function parsePosition(raw: unknown, others: readonly StoredField[], report: Report): number | undefined {
  const position = parseWhole(raw, { key: 'position', from: 1, to: FIELDS_PER_RESOURCE_MAX }, report)
  return position === undefined ? undefined : Math.min(position, countActive(others) + 1)
}

function parseChoices(
  sent: SentKeys,
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
  sent: SentKeys,
  { type, before }: { type: FieldTypeName; before: FieldSettings },
  report: Report,
): FieldSettings {
  const raw = sent.get('settings')
  if (raw === undefined) return before
  const usual = usualSettings(type)
  if (raw === null) return usual
  const given = parseSent(raw, { accepted: Object.keys(usual), path: 'settings' }, report)
  const read = <Name extends keyof FieldSettings>(name: Name) =>
    name in usual && given.has(name)
      ? { [name]: given.get(name) === null ? usual[name] : (parsers[name](given.get(name), report) ?? before[name]) }
      : {}
  return { ...before, ...read('currency'), ...read('decimals'), ...read('max_length') }
}

/** All settings of the type with their defaults, so that readers need not know the defaults. */
export function usualSettings(type: FieldTypeName): FieldSettings {
  return { ...fieldTypes[type].settings }
}

const parsers: { [Name in keyof FieldSettings]-?: (raw: unknown, report: Report) => FieldSettings[Name] } = {
  currency: parseCurrency,
  decimals: parseDecimals,
  max_length: parseMaxLength,
}

let currencies: ReadonlySet<string> | undefined

function parseCurrency(raw: unknown, report: Report): string | undefined {
  const code = typeof raw === 'string' ? raw.trim().toUpperCase() : ''
  currencies ??= new Set(Intl.supportedValuesOf('currency'))
  if (currencies.has(code)) return code
  report('settings.currency', 'The settings.currency must be an ISO 4217 code such as EUR or USD.')
  return undefined
}

function parseDecimals(raw: unknown, report: Report): 0 | 2 | 3 | undefined {
  if (raw === 0 || raw === 2 || raw === 3) return raw
  report('settings.decimals', 'The settings.decimals must be 0, 2 or 3.')
  return undefined
}

function parseMaxLength(raw: unknown, report: Report): number | undefined {
  return parseWhole(raw, { key: 'settings.max_length', from: 1, to: TEXT_MAX_LIMIT }, report)
}

/** How many values a record may hold of a field. */
type ValueCount = { multiple: boolean; max_values: number }

/** Reads `multiple` and `max_values`, which depend on each other and on the type. */
function parseValueCount(
  sent: SentKeys,
  { type, before }: { type: FieldTypeName; before: ValueCount },
  report: Report,
): ValueCount {
  const { repeatable } = fieldTypes[type]
  const multiple = taken({ sent, key: 'multiple', before: before.multiple }, (raw) => parseMultiple(raw, type, report))
  if (!repeatable || !multiple) {
    if (sent.has('max_values')) checkFixed(sent.get('max_values'), type, report)
    return { multiple, max_values: usualCount(type).max_values }
  }
  const limit = before.multiple ? before.max_values : VALUES_DEFAULT
  const max_values = taken({ sent, key: 'max_values', before: limit }, (raw) =>
    raw === null ? VALUES_DEFAULT : parseWhole(raw, { key: 'max_values', from: 1, to: VALUES_MAX }, report),
  )
  return { multiple, max_values }
}

/** The default: one value, except for the types that are always lists. */
export function usualCount(type: FieldTypeName): ValueCount {
  const { list, hasOptions, repeatable } = fieldTypes[type]
  if (!list || repeatable === 'optional') return { multiple: false, max_values: 1 }
  // A list of choices can hold every option.
  return { multiple: true, max_values: hasOptions ? OPTIONS_MAX : VALUES_DEFAULT }
}

function parseMultiple(raw: unknown, type: FieldTypeName, report: Report): boolean | undefined {
  const usual = usualCount(type).multiple
  if (raw === null) return usual
  const multiple = parseFlag(raw, 'multiple', report)
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
