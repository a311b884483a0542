import { operators } from '@kith/contract/filter'
import { listParameters } from '@kith/contract/list-query'
import { listRecords } from '../../records/list.ts'
import { reads } from '../annotations.ts'
import { answerArguments } from '../record-schemas.ts'
import { anyObject, object, pageArguments, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { parametersIn, resourceIn } from '../tool-input.ts'

const filter =
  'Conditions by name, all of which must hold: {"name": {"$contains": "acme"}, "custom_fields": {"stage": {"$in": ' +
  '["Proposal"]}}}. Values are never bare: write {"$eq": …}. ' +
  `Operators: ${operators.join(', ')}; describe_resource says which ones a name takes. ` +
  'id and relations take {"$in": [ID]}; relations also $not_in, $is_empty and conditions on the related record: ' +
  '{"company": {"custom_fields": {"icp": {"$eq": true}}}}, {"tasks": {"$is_empty": true}}. $and and $or take lists, ' +
  '$not an object.'

/** Begins a walk. REST has an empty cursor for this. */
const START = 'start'

export const listRecordsTool: Tool = {
  name: 'list_records',
  title: 'List records',
  description:
    'Lists records of one resource, filtered and sorted, newest first by default, with the total. For a name ' +
    'or address that someone mentioned use search, for totals and averages summarize.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      filter: anyObject(filter),
      sort: text('Names joined by commas, - descends: "-updated_at", "custom_fields.amount,name".'),
      ...answerArguments,
      ...pageArguments(),
      cursor: text('For a long list: start, then each next_cursor until it is null. Not with page.'),
    },
    [...listParameters],
  ),
  async run(scope, input) {
    const sent = input.cursor === START ? { ...input, cursor: true } : input
    const listed = await listRecords(scope, resourceIn(input), parametersIn(sent, listParameters))
    const { data, included, per_page, truncated } = listed
    const shown = { data, included, per_page, ...(truncated.length > 0 ? { truncated } : {}) }
    if (listed.by === 'cursor') return { ...shown, next_cursor: listed.next_cursor }
    const { total, page } = listed
    return { ...shown, total, page, last_page: Math.max(1, Math.ceil(total / per_page)) }
  },
}
