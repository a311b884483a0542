import { certainties } from '@kith/contract/certainty'
import { MERGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { resourceIn } from '@kith/contract/resource'
import { given, word } from '@kith/contract/shape'
import { readHistory } from '../../changes/history.ts'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { mergeRecords } from '../../records/merge/merge.ts'
import { idSchema, recordDocument } from '../record-arguments.ts'
import { anyObject, merges, pageArguments, reads, resourceSchema, text, tool } from '../tool.ts'

export const recordHistoryTool = tool({
  name: 'record_history',
  title: 'Read the history of a record',
  description: 'Who changed what of a record and when, latest first. With field: where a value comes from.',
  ...reads,
  takes: { resource: resourceSchema, id: idSchema },
  may: {
    field: text('Only this attribute, such as stage.'),
    cursor: text('The next_cursor of the previous page.'),
    per_page: pageArguments().per_page,
  },
  async run(scope, { resource, id, ...raw }) {
    const { data, next_cursor } = await readHistory(scope, resourceIn(scope.schema, resource), { id, raw })
    return { data, next_cursor }
  },
})

const certainty = word(certainties, 'Which ones: certain unless sent.')

export const findDuplicatesTool = tool({
  name: 'find_duplicates',
  title: 'Find duplicates',
  description:
    'Values that several records share. certain: a value of a unique field. likely: the same name in another ' +
    'spelling, or the same address.',
  ...reads,
  takes: { resource: resourceSchema },
  may: { certainty, ...pageArguments() },
  run: (scope, { resource, ...asked }) => findDuplicates(scope, resourceIn(scope.schema, resource), asked),
})

export const mergeRecordsTool = tool({
  name: 'merge_records',
  title: 'Merge records',
  description:
    'Merges records of one resource into the winner, which keeps its ID and values and takes over what it ' +
    'lacks and all relations. Look at them first, and ask unless they clearly are the same. Restoring a loser ' +
    `within ${RESTORE_DAYS} days undoes it.`,
  annotations: merges,
  abilities: ['update', 'delete'],
  takes: {
    resource: resourceSchema,
    winner_id: text('The ID of the record that stays.'),
    loser_ids: given({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: MERGE_MAX - 1,
      description: 'The IDs of the records that are merged into it.',
    }),
  },
  may: { attributes: anyObject('What the winner shall have instead, as in create_record.') },
  async run(scope, { resource, ...input }) {
    const merged = await mergeRecords(scope, resourceIn(scope.schema, resource), input)
    return { ...recordDocument(merged), merge_id: merged.merge_id }
  },
})
