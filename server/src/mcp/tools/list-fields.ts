import { PER_PAGE_MAX } from '@kith/contract/limits'
import { listFieldDefinitions } from '../../fields/list-definitions.ts'
import { reads } from '../annotations.ts'
import { object, pageArguments, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { parametersIn } from '../tool-input.ts'

export const listFieldsTool: Tool = {
  name: 'list_fields',
  title: 'List custom fields',
  description:
    'The definitions of the custom fields of one resource or of all. To filter and write values use ' +
    'describe_resource.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: { ...resourceSchema, description: 'Only the fields of this resource.' },
      ...pageArguments(PER_PAGE_MAX),
    },
    ['resource', 'page', 'per_page'],
  ),
  async run(scope, input) {
    const sent = { per_page: PER_PAGE_MAX, ...input, entity_type: input.resource }
    const parameters = parametersIn(sent, ['entity_type', 'page', 'per_page'])
    const { data, total, page, per_page } = await listFieldDefinitions(scope, parameters)
    return { data: data.map(({ id, attributes }) => ({ id, ...attributes })), total, page, per_page }
  },
}
