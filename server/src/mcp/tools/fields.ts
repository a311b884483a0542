import { fieldTypeNames } from '@kith/contract/field-type-name'
import { fold } from '@kith/contract/fold'
import { FIELD_NAME_MAX, OPTIONS_MAX, PER_PAGE_MAX, VALUES_MAX } from '@kith/contract/limits'
import { listMembers } from '../../accounts/members.ts'
import { whoAmI } from '../../accounts/who-am-i.ts'
import { presentField } from '../../fields/json-schema.ts'
import { createField, updateField } from '../../schema/define.ts'
import { listFieldDefinitions } from '../../schema/managed.ts'
import {
  adds,
  anyObject,
  flag,
  listOf,
  object,
  overwrites,
  pageArguments,
  parametersIn,
  reads,
  resourceIn,
  resourceSchema,
  type Schema,
  type Tool,
  text,
  textIn,
} from '../tool.ts'

const name: Schema = { type: 'string', maxLength: FIELD_NAME_MAX, description: 'Unique in the resource.' }

/** The properties of a field that can be chosen at creation and changed later. */
const draftArguments = {
  description: text('What the field is for.'),
  required: flag('New records must have a value.'),
  unique: flag('No two records may hold the same value; upsert_record can match it.'),
  multiple: flag('Several values, for email, phone, link and domain.'),
  max_values: { type: 'integer', minimum: 1, maximum: VALUES_MAX, description: 'How many, if multiple.' },
  position: { type: 'integer', minimum: 1, description: 'From 1.' },
  options: {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    maxItems: OPTIONS_MAX,
    description:
      'All choices in order: labels, or {"id", "label", "color"}. An existing option that is left out is deleted and ' +
      'cleared from all records.',
  },
  settings: anyObject('currency (ISO 4217) and decimals of a currency, max_length of a text.'),
} satisfies Record<string, Schema>

export const listFieldsTool: Tool = {
  name: 'list_fields',
  title: 'List custom fields',
  description:
    'The definitions of the custom fields of one resource or of all. To filter and write values use ' +
    'describe_resource.',
  ...reads,
  input: object(
    {},
    {
      resource: { ...resourceSchema, description: 'Only the fields of this resource.' },
      ...pageArguments(PER_PAGE_MAX),
    },
  ),
  async run(scope, input) {
    const sent = { per_page: PER_PAGE_MAX, ...input, entity_type: input.resource }
    const parameters = parametersIn(sent, ['entity_type', 'page', 'per_page'])
    const { data, total, page, per_page } = await listFieldDefinitions(scope, parameters)
    return { data: data.map(({ id, attributes }) => ({ id, ...attributes })), total, page, per_page }
  },
}

export const createFieldTool: Tool = {
  name: 'create_field',
  title: 'Create a custom field',
  description:
    'Adds a custom field for the whole workspace. Choices need options. Type and code never change. Look at ' +
    'list_fields first, and ask the person.',
  annotations: adds,
  abilities: ['create'],
  permission: 'manage_fields',
  input: object(
    {
      resource: resourceSchema,
      type: { type: 'string', enum: [...fieldTypeNames], description: 'What values it holds.' },
      name,
    },
    { code: text('The key in custom_fields; made from the name unless given.'), ...draftArguments },
  ),
  async run(scope, { resource, ...field }) {
    const made = await createField(scope, resourceIn({ resource }).type, field)
    return { data: { id: made.id, ...presentField(made) } }
  },
}

const string = { type: 'string' }

const optionEdits = {
  add_options: listOf(string, 'Labels of new options.'),
  remove_options: listOf(string, 'Labels or IDs to delete.'),
  rename_options: listOf(object({ from: string, to: string }), 'New labels.'),
}

export const updateFieldTool: Tool = {
  name: 'update_field',
  title: 'Change a custom field',
  description:
    'Changes what is sent of a custom field. For single options use add_options, remove_options and ' +
    'rename_options. Removing an option clears it from every record: ask first.',
  annotations: overwrites,
  abilities: ['update'],
  permission: 'manage_fields',
  input: object({ resource: resourceSchema, code: text('Which field.') }, { name, ...draftArguments, ...optionEdits }),
  async run(scope, { resource, ...changes }) {
    const address = { entity_type: resourceIn({ resource }).type, code: textIn(changes, 'code') }
    const { field, duplicates } = await updateField(scope, address, changes)
    return { data: { id: field.id, ...presentField(field) }, duplicates }
  },
}

export const whoamiTool: Tool = {
  name: 'whoami',
  title: 'Who am I',
  description:
    'The user of this access, the one workspace it reaches, the role and the abilities. Use the user ID for ' +
    'account_owner_id, assignee_ids and filters such as {"creator": {"$in": [ID]}}.',
  ...reads,
  abilities: [],
  input: object({}),
  run: whoAmI,
}

export const listMembersTool: Tool = {
  name: 'list_members',
  title: 'List members',
  description:
    'The members of the workspace with ID, name, email address and role. Use the ID for account_owner_id, assignee_ids ' +
    'and filters such as {"accountOwner": {"$in": [ID]}}.',
  ...reads,
  input: object({}, { query: text('Only members whose name or email address contains this.') }),
  async run(scope, { query }) {
    const wanted = fold(typeof query === 'string' ? query.trim() : '')
    const found = (await listMembers(scope)).filter(({ name, email }) => fold(`${name}\n${email}`).includes(wanted))
    const data = found
      .slice(0, PER_PAGE_MAX)
      .map(({ user_id, name, email, role }) => ({ id: user_id, name, email, role }))
    return { data, total: found.length }
  },
}
