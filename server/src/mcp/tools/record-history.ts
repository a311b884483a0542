import { AUDIT_DAYS } from '@kith/contract/limits'
import { readHistory } from '../../audit/history.ts'
import { reads } from '../annotations.ts'
import { idSchema } from '../record-schemas.ts'
import { object, pageArguments, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const recordHistoryTool: Tool = {
  name: 'record_history',
  title: 'Read the history of a record',
  description:
    `Who changed what of a record and when, latest first, for ${AUDIT_DAYS} days. With field: where a value ` +
    'comes from.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      id: idSchema,
      field: text('Only this attribute, such as custom_fields.stage.'),
      cursor: text('The next_cursor of the previous page.'),
      per_page: pageArguments().per_page,
    },
    ['field', 'cursor', 'per_page'],
  ),
  async run(scope, { field, cursor, per_page, ...input }) {
    const asked = { id: textIn(input, 'id'), raw: { field, cursor, per_page } }
    const { data, next_cursor } = await readHistory(scope, resourceIn(input), asked)
    return { data, next_cursor }
  },
}
