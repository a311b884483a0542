import { fieldTypeNames } from '@kith/contract/field-type-name'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { archiveField, deleteField, restoreField } from '../fields/archive.ts'
import { createField } from '../fields/define.ts'
import { listFields } from '../fields/list.ts'
import { presentField } from '../fields/present.ts'
import { updateField } from '../fields/update.ts'
import type { Scope } from '../scope/scope.ts'
import { type Context, defineCommand, type Group, workspaceOption as workspace } from './command.ts'
import { requireOneOf } from './failure.ts'
import { changeOptions, fieldInput, fieldOptions } from './field-input.ts'
import { printTable } from './table.ts'
import { withWorkspace } from './with-database.ts'

const entity = { value: 'R', about: `One of ${resourceNames.join(', ')}.`, required: true } as const
const code = { value: 'C', about: 'The code of the field.', required: true } as const
const which = { workspace, entity, code } as const

const parseEntity = (text: string): ResourceName => requireOneOf('--entity', resourceNames, text)

type Field = Awaited<ReturnType<typeof createField>>

const create = defineCommand({
  about: 'Create a custom field.',
  options: {
    workspace,
    entity,
    name: { value: 'N', about: 'The name that people see.', required: true },
    type: { value: 'T', about: `One of ${fieldTypeNames.join(', ')}.`, required: true },
    code: { value: 'C', about: 'The key of its values; derived from the name by default.' },
    ...fieldOptions,
  },
  async run(values, context) {
    const resource = parseEntity(values.entity)
    const input = { code: values.code, ...fieldInput(values) }
    const made = await withWorkspace(context, values.workspace, (scope) => createField(scope, resource, input))
    return { text: `Made the ${made.type} field ${made.code} of ${made.entity_type}.`, json: shown(made) }
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
    const resource = values.entity === undefined ? undefined : parseEntity(values.entity)
    const all = await withWorkspace(context, values.workspace, (scope) => listFields(scope, resource))
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
  const address = { entity_type: parseEntity(values.entity), code: values.code }
  return withWorkspace(context, values.workspace, (scope) => work(scope, address))
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
