import { MERGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { mergeRecords } from '../../records/merge/merge.ts'
import { merges } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { attributesSchema, idSchema } from '../record-schemas.ts'
import { object, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

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
      attributes: { ...attributesSchema, description: 'What the winner shall have instead, as in create_record.' },
    },
    ['attributes'],
  ),
  async run(scope, { resource, ...input }) {
    const merged = await mergeRecords(scope, resourceIn({ resource }), input)
    return { ...recordDocument(merged), merge_id: merged.merge_id }
  },
}
