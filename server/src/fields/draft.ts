import type { FieldDefinition } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { fold } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { FIELD_NAME_MAX, FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { parseDescription, parseFlag, parseLine, parseWhole } from './attributes.ts'
import { typesThat } from './field-types.ts'
import { wantedOptions } from './option-edits.ts'
import { parseOptions } from './options.ts'
import { type Sent, taken } from './sent.ts'
import { parseSettings, usualSettings } from './settings.ts'
import { parseValueCount, usualCount } from './value-count.ts'

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

type DraftContext = {
  before: Draft
  type: FieldTypeName
  /** The other fields of the resource. */
  others: readonly StoredField[]
  at: Date
}

/** Reads what was sent; absent keys keep their value from `before`. Problems are reported. */
export function parseDraft(sent: Sent, { before, type, others, at }: DraftContext, report: Report): Draft {
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

type Choices = { type: FieldTypeName; before: Draft['options']; at: Date }

function parseChoices(sent: Sent, { type, before, at }: Choices, report: Report): Draft['options'] {
  const wanted = wantedOptions(sent, before, report)
  if (wanted === undefined) return before
  if (fieldTypes[type].hasOptions || wanted.length === 0) return parseOptions(wanted, { before, at }, report)
  report('options', `A ${type} field has no options. Types that have: ${typesThat((one) => one.hasOptions === true)}.`)
  return before
}
