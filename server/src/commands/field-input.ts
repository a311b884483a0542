import { suggestion } from '@kith/contract/nearest'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { BadUsage } from './failure.ts'

/** What a person can say of a field at the terminal. */
export const fieldOptions = {
  description: { value: 'D', about: 'What it is for.' },
  unique: { about: 'No two records may hold the same value.' },
  required: { about: 'New records must have a value.' },
  multiple: { about: 'Takes several values (email, phone, link, domain).' },
  options: { value: '"A,B"', about: 'All options of a choice field, in their order.' },
  currency: { value: 'EUR', about: 'The ISO 4217 code of a currency field.' },
  decimals: { value: 'N', about: 'How many decimals a currency field keeps: 0, 2 or 3.' },
  'max-length': { value: 'N', about: 'The longest value of a text field.' },
  'max-values': { value: 'N', about: 'How many values a record may hold, where it may hold several.' },
  position: { value: 'N', about: 'Its place among the fields of its resource, counted from 1.' },
} as const

/** How things that were set are taken back, and options changed one by one. */
export const changeOptions = {
  'no-description': { about: 'Take the description away.' },
  'no-unique': { about: 'Records may hold the same value.' },
  'no-required': { about: 'Records may be without a value.' },
  'no-multiple': { about: 'Takes one value.' },
  'add-options': { value: '"X,Y"', about: 'Options to add behind the others.' },
  'remove-options': { value: '"X,Y"', about: 'Options to delete; records that hold them lose them.' },
  'rename-option': { value: 'OLD=NEW', about: 'An option to rename; records that hold it keep it.' },
} as const

type Given = Readonly<Record<string, string | boolean | undefined>>

/** The same as the operations take it. What was not said is undefined. */
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

export function parseEntity(text: string): ResourceName {
  const resource = resourceNames.find((name) => name === text)
  if (resource) return resource
  throw new BadUsage(`--entity must be one of ${resourceNames.join(', ')}.${suggestion(text, resourceNames)}`)
}

function flag(given: Given, name: string): boolean | undefined {
  if (given[name] && given[`no-${name}`]) throw new BadUsage(`Give either --${name} or --no-${name}, not both.`)
  if (given[name]) return true
  return given[`no-${name}`] ? false : undefined
}

/** What is no number stays as it is, for the operation to say what it accepts. */
function numberIn(text: Given[string]): unknown {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text
}

function settingsIn(given: Given): Record<string, unknown> | undefined {
  const { currency } = given
  const decimals = numberIn(given.decimals)
  const max_length = numberIn(given['max-length'])
  const said = [currency, decimals, max_length].some((setting) => setting !== undefined)
  return said ? { currency, decimals, max_length } : undefined
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
