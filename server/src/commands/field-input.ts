import { BadUsage } from './failure.ts'

/** The options that describe a field. */
export const fieldOptions = {
  description: { value: 'D', about: 'What it is for.' },
  unique: { about: 'No two records may have the same value.' },
  required: { about: 'New records must have a value.' },
  multiple: { about: 'Takes several values (email, phone, link, domain).' },
  options: { value: '"A,B"', about: 'All options of a choice field, in their order.' },
  currency: { value: 'EUR', about: 'The ISO 4217 code of a currency field.' },
  decimals: { value: 'N', about: 'The decimals of a currency field: 0, 2 or 3.' },
  'max-length': { value: 'N', about: 'The longest value of a text field.' },
  'max-values': { value: 'N', about: 'How many values a record may have in a field that takes several.' },
  position: { value: 'N', about: 'Its place among the fields of its resource, counted from 1.' },
} as const

/** The options that undo a setting or change single options. */
export const changeOptions = {
  'no-description': { about: 'Remove the description.' },
  'no-unique': { about: 'Several records may have the same value.' },
  'no-required': { about: 'New records need no value.' },
  'no-multiple': { about: 'Takes one value.' },
  'add-options': { value: '"X,Y"', about: 'Options to add after the others.' },
  'remove-options': { value: '"X,Y"', about: 'Options to delete; they are removed from all records.' },
  'rename-option': { value: 'OLD=NEW', about: 'An option to rename; records keep it.' },
} as const

type Given = Readonly<Record<string, string | boolean | undefined>>

/** The input of the operations. Options that are not given are undefined. */
export function fieldInput(given: Given): Record<string, unknown> {
  return {
    name: given.name,
    type: given.type,
    description: given['no-description'] ? null : given.description,
    unique: flag(given, 'unique'),
    required: flag(given, 'required'),
    multiple: flag(given, 'multiple'),
    max_values: numberIn(given['max-values']),
    position: numberIn(given.position),
    settings: settingsIn(given),
    options: list(given.options),
    add_options: list(given['add-options']),
    remove_options: list(given['remove-options']),
    rename_options: renaming(given['rename-option']),
  }
}

function flag(given: Given, name: string): boolean | undefined {
  if (given[name] && given[`no-${name}`]) throw new BadUsage(`Give either --${name} or --no-${name}, not both.`)
  if (given[name]) return true
  return given[`no-${name}`] ? false : undefined
}

/** A text that is not a number is passed on, and the operation refuses it. */
function numberIn(text: Given[string]): unknown {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text
}

function settingsIn(given: Given): Record<string, unknown> | undefined {
  const { currency } = given
  const decimals = numberIn(given.decimals)
  const max_length = numberIn(given['max-length'])
  const isSet = [currency, decimals, max_length].some((setting) => setting !== undefined)
  return isSet ? { currency, decimals, max_length } : undefined
}

function list(text: Given[string]): string[] | undefined {
  if (typeof text !== 'string') return undefined
  const labels = text.split(',').map((label) => label.trim())
  return labels.filter((label) => label !== '')
}

function renaming(text: Given[string]): { from: string; to: string }[] | undefined {
  if (typeof text !== 'string') return undefined
  const equals = text.indexOf('=')
  if (equals === -1) throw new BadUsage('--rename-option is written OLD=NEW.')
  return [{ from: text.slice(0, equals), to: text.slice(equals + 1) }]
}
