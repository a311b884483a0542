import { summarizeRecords } from '../../records/summarize.ts'
import { measures } from '../../records/summarize-input.ts'
import { reads } from '../annotations.ts'
import { anyObject, listOf, object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const row = object({
  key: {
    type: ['string', 'null'],
    description:
      'The ID of an option, member or record, a month such as 2026-11, null for records without one, or other.',
  },
  label: text('The same for people.'),
  value: { type: ['number', 'null'], description: 'What was measured; null where no record has a number.' },
  count: { type: 'integer', description: 'How many records are in the group.' },
})

export const summarizeTool: Tool = {
  name: 'summarize',
  title: 'Count and sum up records',
  description:
    'Counts records, or tells the sum, average, minimum or maximum of a numeric field, for all or in ' +
    'groups, under any filter. Use it instead of adding up lists: {"resource": "opportunities", ' +
    '"measure": "sum", "field": "amount", "group_by": "stage"}.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      measure: { type: 'string', enum: [...measures], description: 'What to tell. count takes no field.' },
      field: text('The code of a number or currency field.'),
      group_by: text(
        'What makes the groups: the code of a choice, checkbox, toggle, date or date-time field (dates by ' +
          'month), created_at or updated_at (by month), or a relation such as company, accountOwner, ' +
          'creator or assignees.',
      ),
      filter: anyObject('Which records, in the form that list_records takes.'),
    },
    ['field', 'group_by', 'filter'],
  ),
  output: object({
    rows: listOf(row, 'Options in their order, months in that of time, relations by size; one row without group_by.'),
    currency: { type: ['string', 'null'], description: 'Of a currency field, its ISO 4217 code.' },
  }),
  run: (scope, { resource, ...input }) => summarizeRecords(scope, resourceIn({ resource }), input),
}
