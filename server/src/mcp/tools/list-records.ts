import { operators } from '@kith/contract/filter'
import { FILTER_CONDITIONS_MAX, FILTER_LOGIC_DEPTH_MAX, FILTER_RELATION_DEPTH_MAX } from '@kith/contract/limits'
import { listParameters } from '@kith/contract/list-query'
import { listRecords } from '../../records/list.ts'
import { reads } from '../annotations.ts'
import { answerArguments, listProperties } from '../record-schemas.ts'
import { anyObject, listOf, object, pageArguments, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { parametersIn, resourceIn } from '../tool-input.ts'

const filter =
  'Conditions by name, all of which must hold: {"name": {"$contains": "acme"}, "custom_fields": {"stage": ' +
  '{"$in": ["Proposal"]}}}. Custom fields are always under custom_fields. Operators: ' +
  `${operators.join(', ')}; which ones a field takes says describe_resource. Relations take $in, $not_in, ` +
  '$is_empty with IDs or nested conditions on the related record: {"company": {"custom_fields": {"icp": ' +
  `{"$eq": true}}}}. $and and $or take lists, $not one object; at most ${FILTER_LOGIC_DEPTH_MAX} levels of ` +
  `them, ${FILTER_RELATION_DEPTH_MAX} of relations, ${FILTER_CONDITIONS_MAX} conditions. A value is never ` +
  'given bare: write {"$eq": …}.'

export const listRecordsTool: Tool = {
  name: 'list_records',
  title: 'List records',
  description:
    'Lists records of one resource, filtered and sorted. Use it for exact questions (by stage, owner, ' +
    'date, company); for a name or an address that someone mentioned use search, for totals and averages ' +
    'summarize. Without cursor the answer tells the total. Newest first unless sort says otherwise.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      filter: anyObject(filter),
      sort: text(
        'Names joined by commas, each with a leading - to descend: "-updated_at", ' +
          '"custom_fields.amount,name". A custom field can be sorted by with page only, not with cursor.',
      ),
      ...answerArguments,
      ...pageArguments(),
      cursor: {
        type: ['string', 'boolean'],
        description:
          'To walk a long list: true for the first page, then the next_cursor of the answer before, with ' +
          'the same filter and sort, until it is null. Not together with page.',
      },
    },
    [...listParameters],
  ),
  output: object(
    {
      ...listProperties,
      per_page: { type: 'integer' },
      total: { type: 'integer', description: 'How many records there are in all. With page only.' },
      page: { type: 'integer' },
      last_page: { type: 'integer' },
      next_cursor: { type: ['string', 'null'], description: 'With cursor only. Null on the last page.' },
      truncated: listOf({ type: 'string' }, 'Relations with more records than are shown.'),
    },
    ['included', 'total', 'page', 'last_page', 'next_cursor', 'truncated'],
  ),
  async run(scope, input) {
    const listed = await listRecords(scope, resourceIn(input), parametersIn(input, listParameters))
    const { data, included, per_page, truncated } = listed
    const shown = { data, included, per_page, ...(truncated.length > 0 ? { truncated } : {}) }
    if (listed.by === 'cursor') return { ...shown, next_cursor: listed.next_cursor }
    const { total, page } = listed
    return { ...shown, total, page, last_page: Math.max(1, Math.ceil(total / per_page)) }
  },
}
