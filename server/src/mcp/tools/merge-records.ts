import { MERGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { mergeRecords } from '../../records/merge/merge.ts'
import { merges } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { attributesSchema, documentSchema, idSchema } from '../record-schemas.ts'
import { object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

export const mergeRecordsTool: Tool = {
  name: 'merge_records',
  title: 'Merge records',
  description:
    'Makes several records of one resource into one. The winner keeps its ID and its values, takes over ' +
    'what it lacks and everything that referred to the others, and they are deleted. Look at the records ' +
    `first, and ask the person unless they clearly are the same. Can be undone for ${RESTORE_DAYS} days by ` +
    'restoring one of the losers.',
  annotations: merges,
  abilities: ['update', 'delete'],
  input: object(
    {
      resource: resourceSchema,
      winner_id: { ...idSchema, description: 'The ID of the record that stays.' },
      loser_ids: {
        type: 'array',
        items: { type: ['string', 'object'] },
        minItems: 1,
        maxItems: MERGE_MAX - 1,
        description: 'The IDs of the records that are merged into it, or {"match": {"field": …, "value": …}}.',
      },
      attributes: {
        ...attributesSchema,
        description: `What the winner shall have instead. ${attributesSchema.description}`,
      },
    },
    ['attributes'],
  ),
  output: documentSchema({ merge_id: text('Names the merge.') }),
  async run(scope, { resource, ...input }) {
    const merged = await mergeRecords(scope, resourceIn({ resource }), input)
    return { ...recordDocument(merged), merge_id: merged.merge_id }
  },
}
