import { isOwn, type Resource, withArchived } from '@kith/contract/resource'
import { countLive } from '../records/read.ts'
import {
  archiveResource,
  createResource,
  deleteResource,
  type ResourceAddress,
  restoreResource,
  updateResource,
} from '../schema/own-resources.ts'
import { schemaObject } from '../schema/read-schema.ts'
import type { Scope } from '../scope/scope.ts'
import { type Answer, type Context, defineCommand, type Group, workspaceOption as workspace } from './command.ts'
import { printTable } from './table.ts'
import { withWorkspace } from './with-database.ts'

const lookOptions = {
  description: { value: 'D', about: 'What the records are.' },
  icon: { value: 'I', about: 'The icon in the application, such as rocket.' },
  color: { value: 'C', about: 'The color in the application, such as blue.' },
} as const

const code = { value: 'C', about: 'The code of the resource, such as projects.', required: true } as const

const which = { workspace, code } as const

const create = defineCommand({
  about: 'Create a resource of the workspace, such as projects. It has a name and an owner, and fields can be added.',
  options: {
    workspace,
    name: { value: 'N', about: 'Of all records, such as Projects.', required: true },
    singular: { value: 'N', about: 'Of one record, such as Project.', required: true },
    code: { value: 'C', about: 'In paths and types; derived from the name by default. Never changes.' },
    'singular-code': { value: 'C', about: 'In names such as project_ids; derived from the singular by default.' },
    ...lookOptions,
  },
  async run({ workspace: slug, 'singular-code': singular_code, ...values }, context) {
    const input = { ...values, singular_code }
    const { resource, version } = await withWorkspace(context, slug, (scope) =>
      createResource(scope, { input, issues: [] }),
    )
    return {
      text: `Created the resource ${resource.type} (${resource.row.name}).`,
      json: schemaObject(resource, version),
    }
  },
})

const update = defineCommand({
  about: 'Change what a resource is called. Options that are not given keep their values.',
  options: {
    ...which,
    name: { value: 'N', about: 'A new name of all records.' },
    singular: { value: 'N', about: 'A new name of one record.' },
    ...lookOptions,
    'no-description': { about: 'Remove the description.' },
    'no-icon': { about: 'Remove the icon.' },
    'no-color': { about: 'Remove the color.' },
  },
  async run({ workspace: slug, code, name, singular, ...looks }, context) {
    const input = {
      name,
      singular,
      description: looks['no-description'] ? null : looks.description,
      icon: looks['no-icon'] ? null : looks.icon,
      color: looks['no-color'] ? null : looks.color,
    }
    const { resource, version } = await withWorkspace(context, slug, (scope) => updateResource(scope, { code }, input))
    return { text: `Changed the resource ${code} (${resource.row.name}).`, json: schemaObject(resource, version) }
  },
})

const archive = changeCommand(
  'Archive a resource. Its records are hidden, and kept.',
  { done: 'Archived', state: { archived: true } },
  archiveResource,
)

const restore = changeCommand(
  'Restore an archived resource with its records.',
  { done: 'Restored', state: { archived: false } },
  restoreResource,
)

const remove = changeCommand(
  'Delete an archived resource with its records and fields permanently. The service erases them within a day.',
  { done: 'Deleted', state: { deleted: true } },
  deleteResource,
)

function changeCommand(
  about: string,
  { done, state }: { done: string; state: object },
  change: (scope: Scope, address: ResourceAddress) => Promise<unknown>,
) {
  return defineCommand({
    about,
    options: which,
    async run({ workspace: slug, code }, context): Promise<Answer> {
      await withWorkspace(context, slug, (scope) => change(scope, { code }))
      return { text: `${done} the resource ${code}.`, json: { code, ...state } }
    },
  })
}

const list = defineCommand({
  about: 'List the resources of a workspace, including archived ones.',
  options: { workspace },
  run: ({ workspace: slug }, context: Context) =>
    withWorkspace(context, slug, async (scope) => {
      const counts = await countLive(scope)
      const all = [...withArchived(scope.schema).values()]
      const columns = ['code', 'name', 'singular', 'state', 'fields', 'records']
      return {
        text: printTable(
          columns,
          all.map((one) => rowOf(one, counts[one.type])),
        ),
        json: all.map((one) => schemaObject(one, scope.workspace.fields_version)),
      }
    }),
})

export const resource: Group = { verbs: { create, update, archive, restore, delete: remove, list } }

function rowOf(resource: Resource, records: number | undefined): (string | null)[] {
  const { type, row, fields } = resource
  const state = row.archived_at === null ? (isOwn(resource) ? 'own' : null) : 'archived'
  return [
    type,
    row.name,
    row.singular,
    state,
    String(fields.list.length),
    records === undefined ? null : String(records),
  ]
}
