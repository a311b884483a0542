import { fieldChanges, newField } from '@kith/contract/field-definition'
import { fold } from '@kith/contract/fold'
import { PER_PAGE_MAX } from '@kith/contract/limits'
import { resourceCode } from '@kith/contract/resource-code'
import * as is from '@kith/contract/shape'
import { listMembers } from '../../accounts/members.ts'
import { whoAmI } from '../../accounts/who-am-i.ts'
import { presentField } from '../../fields/json-schema.ts'
import { createField, updateField } from '../../schema/define.ts'
import { listFieldDefinitions } from '../../schema/managed.ts'
import { adds, anyObject, overwrites, pageArguments, parametersIn, reads, resourceSchema, text, tool } from '../tool.ts'

const { entity_type: _created, ...created } = newField
const { entity_type: _changed, target: _target, ...changed } = fieldChanges

/** Models read these in every conversation, and the settings and options of each field with describe_resource. */
const shortened = {
  inverse: {
    ...is.orNull(anyObject('Of a record field: the relation that its target gets, {"name": …}.')),
    absent: true as const,
  },
  settings: is.orNull(anyObject('currency (ISO 4217) and decimals of a currency, max_length of a text.')),
  options: optionList('All choices in order: labels, or {"label", "color"}.'),
}

function optionList(description: string) {
  const items = { anyOf: [{ type: 'string' }, { type: 'object' }] }
  return is.orNull(is.given({ type: 'array', items, description }))
}

const shortChanges = {
  ...changed,
  ...shortened,
  options: optionList(
    'All choices in order: labels, or {"id", "label", "color"}. One that is left out is deleted and cleared from all records.',
  ),
  add_options: is.list(is.text(), { says: 'Labels of new options.' }),
  rename_options: is.list(anyObject('{"from", "to"}'), { says: 'Options by ID or label, with their new labels.' }),
}

export const listFieldsTool = tool({
  name: 'list_fields',
  title: 'List custom fields',
  description: 'The definitions of the custom fields of one resource or of all.',
  ...reads,
  takes: {},
  may: { resource: resourceCode('Only the fields of this resource.'), ...pageArguments(PER_PAGE_MAX) },
  async run(scope, input) {
    const sent = { per_page: PER_PAGE_MAX, ...input, entity_type: input.resource }
    const parameters = parametersIn(sent, ['entity_type', 'page', 'per_page'])
    const { data, total, page, per_page } = await listFieldDefinitions(scope, parameters)
    return { data: data.map(({ id, attributes }) => ({ id, ...attributes })), total, page, per_page }
  },
})

export const createFieldTool = tool({
  name: 'create_field',
  title: 'Create a custom field',
  description:
    'Adds a custom field for the whole workspace. Choices need options. Type and code never change. Look at ' +
    'list_fields first, and ask the person.',
  annotations: adds,
  abilities: ['create'],
  permission: 'manage_fields',
  takes: { resource: resourceSchema, ...created, ...shortened },
  async run(scope, { resource, ...field }) {
    const made = await createField(scope, resource, field)
    return { data: { id: made.id, ...presentField(made) } }
  },
})

export const updateFieldTool = tool({
  name: 'update_field',
  title: 'Change a custom field',
  description: 'Changes what is sent of a custom field. Removing an option clears it from every record: ask first.',
  annotations: overwrites,
  abilities: ['update'],
  permission: 'manage_fields',
  takes: { resource: resourceSchema, code: text('Which field.') },
  may: shortChanges,
  async run(scope, { resource, ...changes }) {
    const address = { entity_type: resource, code: changes.code }
    const { field, duplicates } = await updateField(scope, address, changes)
    return { data: { id: field.id, ...presentField(field) }, duplicates }
  },
})

const ABOUT_ME =
  'In filters, me stands for this user: {"accountOwner": {"$in": ["me"]}}. list_changes takes it as actor. Tasks also ' +
  'take {"assigned_to_me": {"$eq": true}}. now is UTC; the user reads times in user.time_zone.'

export const whoamiTool = tool({
  name: 'whoami',
  title: 'Who am I',
  description:
    'The user of this access with time zone, the one workspace it reaches, the role, the abilities and the time now. Use the user ID ' +
    'for account_owner_id and assignee_ids; in filters, me stands for it: {"accountOwner": {"$in": ["me"]}}.',
  ...reads,
  abilities: [],
  takes: {},
  run: async (scope) => ({ ...(await whoAmI(scope)), now: scope.now().toISOString(), me: ABOUT_ME }),
})

export const listMembersTool = tool({
  name: 'list_members',
  title: 'List members',
  description:
    'The members of the workspace with ID, name, email address and role. Use the ID for account_owner_id and assignee_ids.',
  ...reads,
  takes: {},
  may: { query: text('Only members whose name or email address contains this.') },
  async run(scope, { query }) {
    const wanted = fold(query?.trim() ?? '')
    const found = (await listMembers(scope)).filter(({ name, email }) => fold(`${name}\n${email}`).includes(wanted))
    const data = found
      .slice(0, PER_PAGE_MAX)
      .map(({ user_id, name, email, role }) => ({ id: user_id, name, email, role }))
    return { data, total: found.length }
  },
})
