import { fieldTypeNames } from '@kith/contract/field-type-name'
import { createField } from '../../fields/define.ts'
import { presentField } from '../../fields/present.ts'
import { adds } from '../annotations.ts'
import { draftArguments, fieldSchema } from '../field-schemas.ts'
import { object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

export const createFieldTool: Tool = {
  name: 'create_field',
  title: 'Create a custom field',
  description:
    'Adds a custom field to a resource, for the whole workspace. Needs name and type; choices (select, ' +
    'radio, multi-select …) need options. Type and code never change afterwards. Look at list_fields ' +
    'first, and ask the person before you change how the workspace is set up.',
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
  output: object({ data: fieldSchema }),
  async run(scope, { resource, ...field }) {
    const made = await createField(scope, resourceIn({ resource }).type, field)
    return { data: { id: made.id, ...presentField(made) } }
  },
}
