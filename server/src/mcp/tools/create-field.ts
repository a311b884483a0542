import { fieldTypeNames } from '@kith/contract/field-type-name'
import { createField } from '../../fields/define.ts'
import { presentField } from '../../fields/present.ts'
import { adds } from '../annotations.ts'
import { draftArguments } from '../field-schemas.ts'
import { object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

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
      code: text('The key in custom_fields; made from the name unless given.'),
      ...draftArguments,
    },
    ['code', ...Object.keys(draftArguments).filter((key) => key !== 'name')],
  ),
  async run(scope, { resource, ...field }) {
    const made = await createField(scope, resourceIn({ resource }).type, field)
    return { data: { id: made.id, ...presentField(made) } }
  },
}
