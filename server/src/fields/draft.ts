import type { FieldDefinition } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type'
import { fold } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { parseDescription, parseFlag, parseName, parseWhole } from './attributes.ts'
import { canBeUnique, hasOptions, typesThat } from './field-types.ts'
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

/** What of a field is chosen when it is made and can be changed later. */
export type Draft = Pick<FieldDefinition, (typeof chosen)[number]>

export const draftKeys: readonly string[] = chosen

export type DraftContext = {
  type: FieldTypeName
  /** The other fields of the resource. */
  others: readonly StoredField[]
  at: Date
}

/** Reads what was sent over what stood there before. Problems are reported. */
export function parseDraft(sent: Sent, before: Draft, { type, others, at }: DraftContext, report: Report): Draft {
  return {
    name: taken(sent, 'name', before.name, (raw) => parseFreeName(raw, others, report)),
    description: taken(sent, 'description', before.description, (raw) => parseDescription(raw, report)),
    required: taken(sent, 'required', before.required, (raw) => parseFlag(raw, 'required', report)),
    unique: taken(sent, 'unique', before.unique, (raw) => parseUnique(raw, type, report)),
    ...parseValueCount(sent, type, before, report),
    position: taken(sent, 'position', before.position, (raw) => parsePosition(raw, others, report)),
    settings: parseSettings(sent, type, before.settings, report),
    options: parseChoices(sent, type, before.options, at, report),
  }
}

/** A field of the type of which nothing was said yet. A new field goes last. */
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
  const name = parseName(raw, report)
  const holder = name === undefined ? undefined : others.find((field) => fold(field.name) === fold(name))
  if (!holder) return name
  const state = holder.archived_at === null ? 'field' : 'archived field'
  report('name', `The name is taken by the ${state} with the code ${holder.code}. Choose another one.`)
  return undefined
}

function parseUnique(raw: unknown, type: FieldTypeName, report: Report): boolean | undefined {
  const unique = parseFlag(raw, 'unique', report)
  if (!unique || canBeUnique(type)) return unique
  report('unique', `A ${type} field cannot be unique. Types that can: ${typesThat(canBeUnique)}.`)
  return undefined
}

/** Counted from 1. What lies behind the end means the end. */
function parsePosition(raw: unknown, others: readonly StoredField[], report: Report): number | undefined {
  const position = parseWhole(raw, { key: 'position', from: 1, to: FIELDS_PER_RESOURCE_MAX }, report)
  return position === undefined ? undefined : Math.min(position, countActive(others) + 1)
}

function parseChoices(sent: Sent, type: FieldTypeName, before: Draft['options'], at: Date, report: Report) {
  const wanted = wantedOptions(sent, before, report)
  if (wanted === undefined) return before
  if (hasOptions(type) || wanted.length === 0) return parseOptions(wanted, before, at, report)
  report('options', `A ${type} field has no options. Types that have: ${typesThat(hasOptions)}.`)
  return before
}
