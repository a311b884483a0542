import { fieldTypeNames } from '@kith/contract/field-type-name'
import { refuseValue } from '@kith/contract/refusal'
import { presentField } from '../fields/json-schema.ts'
import { archiveField, createField, deleteField, restoreField, updateField } from '../schema/define.ts'
import { listFields } from '../schema/managed.ts'
import { parseResource } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { BadUsage, type Context, defineCommand, type Group, workspaceOption as workspace } from './command.ts'
import { printTable } from './table.ts'
import { withWorkspace } from './with-database.ts'

const fieldOptions = {
  description: { value: 'D', about: 'What it is for.' },
  unique: { about: 'No two records may have the same value.' },
  required: { about: 'New records must have a value.' },
  multiple: { about: 'Takes several values (email, phone, link, domain, record, member).' },
  options: { value: '"A,B"', about: 'All options of a choice field, in their order.' },
  currency: { value: 'EUR', about: 'The ISO 4217 code of a currency field.' },
  decimals: { value: 'N', about: 'The decimals of a currency field: 0, 2 or 3.' },
  'max-length': { value: 'N', about: 'The longest value of a text field.' },
  'max-values': { value: 'N', about: 'How many values a record may have in a field that takes several.' },
  position: { value: 'N', about: 'Its place among the fields of its resource, counted from 1.' },
  'inverse-code': { value: 'C', about: 'The code of the relation that a record field gives to its target.' },
  'inverse-name': { value: 'N', about: 'The name of that relation, such as "Projects" on companies.' },
} as const

/** The options that undo a setting or change single options. */
const changeOptions = {
  'no-description': { about: 'Remove the description.' },
  'no-unique': { about: 'Several records may have the same value.' },
  'no-required': { about: 'New records need no value.' },
  'no-multiple': { about: 'Takes one value.' },
  'add-options': { value: '"X,Y"', about: 'Options to add after the others.' },
  'remove-options': { value: '"X,Y"', about: 'Options to delete; they are removed from all records.' },
  'no-inverse': { about: 'Remove the relation of the target.' },
  'rename-option': { value: 'OLD=NEW', about: 'An option to rename; records keep it.' },
} as const

const entity = { value: 'R', about: 'The code of a resource, such as companies.', required: true } as const

const code = { value: 'C', about: 'The code of the field.', required: true } as const

const which = { workspace, entity, code } as const

const entityIn = ({ schema }: Scope, text: string): string => parseResource(schema, text, refuseValue, '--entity').type

type Field = Awaited<ReturnType<typeof createField>>

const create = defineCommand({
  about: 'Create a custom field.',
  options: {
    workspace,
    entity,
    name: { value: 'N', about: 'The name that people see.', required: true },
    type: { value: 'T', about: `One of ${fieldTypeNames.join(', ')}.`, required: true },
    code: { value: 'C', about: 'The key of its values; derived from the name by default.' },
    target: { value: 'R', about: 'The resource of the records in a record field.' },
    ...fieldOptions,
  },
  async run(values, context) {
    const input = { code: values.code, ...fieldInput(values) }
    const made = await withWorkspace(context, values.workspace, (scope) =>
      createField(scope, entityIn(scope, values.entity), input),
    )
    return { text: `Created the ${made.type} field ${made.code} of ${made.entity_type}.`, json: shown(made) }
  },
})

const update = defineCommand({
  about: 'Change a custom field. Options that are not given keep their values.',
  options: { ...which, name: { value: 'N', about: 'A new name.' }, ...fieldOptions, ...changeOptions },
  async run(values, context) {
    const input = fieldInput(values)
    const { field, duplicates } = await onField(values, context, (scope, address) => updateField(scope, address, input))
    const clashes = duplicates === 0 ? '' : ` Values held by more than one record: ${duplicates}.`
    return {
      text: `Changed the field ${field.code} of ${field.entity_type}.${clashes}`,
      json: { ...shown(field), duplicates },
    }
  },
})

const archive = changeCommand('Archive a field. Its values are kept.', 'Archived', archiveField)

const restore = changeCommand('Restore an archived field with its values.', 'Restored', restoreField)

function changeCommand(about: string, done: string, change: (scope: Scope, address: Address) => Promise<Field>) {
  return defineCommand({
    about,
    options: which,
    async run(values, context) {
      const field = await onField(values, context, change)
      return { text: `${done} the field ${field.code} of ${field.entity_type}.`, json: shown(field) }
    },
  })
}

const remove = defineCommand({
  about: 'Delete an archived field and its values permanently.',
  options: which,
  async run(values, context) {
    await onField(values, context, deleteField)
    const { entity, code } = values
    return { text: `Deleted the field ${code} of ${entity}.`, json: { entity_type: entity, code, deleted: true } }
  },
})

const list = defineCommand({
  about: 'List the fields of a workspace, including archived ones.',
  options: {
    workspace,
    entity: { value: entity.value, about: entity.about },
    code: { value: code.value, about: code.about },
  },
  async run(values, context) {
    const { entity: code } = values
    const all = await withWorkspace(context, values.workspace, (scope) =>
      listFields(scope, code && entityIn(scope, code)),
    )
    const fields = values.code === undefined ? all : all.filter((field) => field.code === values.code)
    const columns = ['entity', 'position', 'code', 'name', 'type', 'rules', 'options']
    return { text: printTable(columns, fields.map(rowOf)), json: fields.map(shown) }
  },
})

export const field: Group = { verbs: { create, update, archive, restore, delete: remove, list } }

type Address = Parameters<typeof archiveField>[1]

function onField<T>(
  values: { workspace: string; entity: string; code: string },
  context: Context,
  work: (scope: Scope, address: Address) => Promise<T>,
): Promise<T> {
  const { workspace, entity, code } = values
  return withWorkspace(context, workspace, (scope) => work(scope, { entity_type: entityIn(scope, entity), code }))
}

function shown(field: Field) {
  return { id: field.id, ...presentField(field), system: field.system, archived_at: field.archived_at }
}

function rowOf(field: Field): (string | null)[] {
  const flags = ['required', 'unique', 'multiple', 'system'] as const
  const rules = [...flags.filter((flag) => field[flag]), ...(field.archived_at === null ? [] : ['archived'])]
  const options = field.options.map((option) => option.label)
  const place = field.archived_at === null ? String(field.position) : null
  const { entity_type, code, name, type } = field
  return [entity_type, place, code, name, type, rules.join(', ') || null, options.join(', ') || null]
}

type OptionValues = Readonly<Record<string, string | boolean | undefined>>

/** The input of the operations. Options that are not given are undefined. */
function fieldInput(given: OptionValues): Record<string, unknown> {
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
    target: given.target,
    inverse: inverseIn(given),
    options: namesIn(given.options),
    add_options: namesIn(given['add-options']),
    remove_options: namesIn(given['remove-options']),
    rename_options: renaming(given['rename-option']),
  }
}

function flag(given: OptionValues, name: string): boolean | undefined {
  if (given[name] && given[`no-${name}`]) throw new BadUsage(`Give either --${name} or --no-${name}, not both.`)
  if (given[name]) return true
  return given[`no-${name}`] ? false : undefined
}

function inverseIn(given: OptionValues): object | null | undefined {
  const [code, name] = [given['inverse-code'], given['inverse-name']]
  if (given['no-inverse']) return null
  return code === undefined && name === undefined ? undefined : { code, name }
}

/** A text that is not a number is returned as it is, and the operation refuses it. */
function numberIn(text: OptionValues[string]): unknown {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text
}

function settingsIn(given: OptionValues): Record<string, unknown> | undefined {
  const { currency } = given
  const decimals = numberIn(given.decimals)
  const max_length = numberIn(given['max-length'])
  const isSet = [currency, decimals, max_length].some((setting) => setting !== undefined)
  return isSet ? { currency, decimals, max_length } : undefined
}

function namesIn(text: OptionValues[string]): string[] | undefined {
  if (typeof text !== 'string') return undefined
  const labels = text.split(',').map((label) => label.trim())
  return labels.filter((label) => label !== '')
}

function renaming(text: OptionValues[string]): { from: string; to: string }[] | undefined {
  if (typeof text !== 'string') return undefined
  const equals = text.indexOf('=')
  if (equals === -1) throw new BadUsage('--rename-option is written OLD=NEW.')
  return [{ from: text.slice(0, equals), to: text.slice(equals + 1) }]
}
