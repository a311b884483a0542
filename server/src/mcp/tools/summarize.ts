import { summarizeRecords } from '../../records/summarize.ts'
import { measures } from '../../records/summarize-input.ts'
import { reads } from '../annotations.ts'
import { anyObject, object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

export const summarizeTool: Tool = {
  name: 'summarize',
  title: 'Count and sum up records',
  description:
    'Counts records, or tells the sum, average, minimum or maximum of a number field, for all or in groups, under any ' +
    'filter: {"resource": "opportunities", "measure": "sum", "field": "amount", "group_by": "stage"}.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      measure: { type: 'string', enum: [...measures], description: 'count takes no field.' },
      field: text('The code of a number or currency field.'),
      group_by: text(
        'The code of a choice, checkbox, toggle, date or date-time field, created_at or updated_at (dates by month), or ' +
          'a relation such as company, accountOwner, creator or assignees.',
      ),
      filter: anyObject('As in list_records.'),
    },
    ['field', 'group_by', 'filter'],
  ),
  run: (scope, { resource, ...input }) => summarizeRecords(scope, resourceIn({ resource }), input),
}
