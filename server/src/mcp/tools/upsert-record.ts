import { MATCH_VALUE_MAX } from '@kith/contract/limits'
import { upsertRecord } from '../../records/upsert.ts'
import { overwrites } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, attributesSchema } from '../record-schemas.ts'
import { object, resourceSchema, text } from '../schema.ts'
import { sentIn, underAttributes } from '../sent-attributes.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const value = { type: 'string', maxLength: MATCH_VALUE_MAX }

export const upsertRecordTool: Tool = {
  name: 'upsert_record',
  title: 'Create or change a record',
  description:
    'Updates the one record that holds a value in a unique field (domains of companies, emails of people …), ' +
    'or creates it. Prefer it to create_record if you know such a value.',
  annotations: overwrites,
  abilities: ['create', 'update'],
  input: object(
    {
      resource: resourceSchema,
      match: {
        ...object({ field: text('One of upsert_match of describe_resource.'), value }),
        description: 'What identifies the record.',
      },
      attributes: attributesSchema,
      ...answerArguments,
    },
    ['include', 'fields'],
  ),
  async run(scope, input) {
    const write = upsertRecord(scope, resourceIn(input), sentIn(input, { match: input.match }))
    const upserted = await underAttributes(write, ['match'])
    return { ...recordDocument(upserted), created: upserted.created }
  },
}
