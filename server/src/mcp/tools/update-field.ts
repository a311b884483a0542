import { presentField } from '../../fields/present.ts'
import { updateField } from '../../fields/update.ts'
import { overwrites } from '../annotations.ts'
import { draftArguments } from '../field-schemas.ts'
import { listOf, object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

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
  input: object({ resource: resourceSchema, code: text('Which field.'), ...draftArguments, ...optionEdits }, [
    ...Object.keys(draftArguments),
    ...Object.keys(optionEdits),
  ]),
  async run(scope, { resource, ...changes }) {
    const address = { entity_type: resourceIn({ resource }).type, code: textIn(changes, 'code') }
    const { field, duplicates } = await updateField(scope, address, changes)
    return { data: { id: field.id, ...presentField(field) }, duplicates }
  },
}
