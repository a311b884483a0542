import { MATCH_VALUE_MAX } from '@kith/contract/limits'
import { upsertRecord } from '../../records/upsert.ts'
import { overwrites } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, attributesSchema, documentSchema } from '../record-schemas.ts'
import { flag, object, resourceSchema, text } from '../schema.ts'
import { sentIn, underAttributes } from '../sent-attributes.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

export const upsertRecordTool: Tool = {
  name: 'upsert_record',
  title: 'Create or change a record',
  description:
    'Finds the one record that holds a value in a unique custom field (domains of companies, emails of ' +
    'people …) and changes it, or creates it. Prefer it to create_record whenever you know such a value. ' +
    'When more than one record holds the value nothing is written and their IDs are told.',
  annotations: overwrites,
  abilities: ['create', 'update'],
  input: object(
    {
      resource: resourceSchema,
      match: {
        ...object({
          field: text('The code of a unique field, as describe_resource lists under upsert_match.'),
          value: {
            type: 'string',
            maxLength: MATCH_VALUE_MAX,
            description: 'The value to look for, in any letter case.',
          },
        }),
        description: 'What identifies the record.',
      },
      attributes: attributesSchema,
      ...answerArguments,
    },
    ['include', 'fields'],
  ),
  output: documentSchema({ created: flag('Whether the record is new.') }),
  async run(scope, input) {
    const write = upsertRecord(scope, resourceIn(input), sentIn(input, { match: input.match }))
    const upserted = await underAttributes(write, ['match'])
    return { ...recordDocument(upserted), created: upserted.created }
  },
}
