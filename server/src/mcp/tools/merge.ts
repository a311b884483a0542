import { certainties } from '@kith/contract/certainty'
import { MERGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { mergeRecords } from '../../records/merge/merge.ts'
import { attributesSchema, idSchema, recordDocument } from '../record-arguments.ts'
import { object, pageArguments, resourceSchema } from '../schema.ts'
import { merges, reads, type Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const certainty = { type: 'string', enum: [...certainties], default: 'certain', description: 'Which ones.' }

export const findDuplicatesTool: Tool = {
  name: 'find_duplicates',
  title: 'Find duplicates',
  description:
    'Values that several records share. certain: a value of a unique field. likely: the same name in another ' +
    'spelling, or the same address; these may be different records. Merge with merge_records.',
  ...reads,
  input: object({ resource: resourceSchema }, { certainty, ...pageArguments() }),
  run: (scope, { certainty, page, per_page, ...input }) =>
    findDuplicates(scope, resourceIn(input), { certainty, page, per_page }),
}

export const mergeRecordsTool: Tool = {
  name: 'merge_records',
  title: 'Merge records',
  description:
    'Merges records of one resource into the winner, which keeps its ID and values and takes over what it ' +
    'lacks and all relations. Look at them first, and ask unless they clearly are the same. Restoring a loser ' +
    `within ${RESTORE_DAYS} days undoes it.`,
  annotations: merges,
  abilities: ['update', 'delete'],
  input: object(
    {
      resource: resourceSchema,
      winner_id: { ...idSchema, description: 'The ID of the record that stays.' },
      loser_ids: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: MERGE_MAX - 1,
        description: 'The IDs of the records that are merged into it.',
      },
    },
    { attributes: { ...attributesSchema, description: 'What the winner shall have instead, as in create_record.' } },
  ),
  async run(scope, { resource, ...input }) {
    const merged = await mergeRecords(scope, resourceIn({ resource }), input)
    return { ...recordDocument(merged), merge_id: merged.merge_id }
  },
}
