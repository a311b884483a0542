import { createRecord } from '../../records/create.ts'
import { createRecordOnce } from '../../records/create-once.ts'
import { adds } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, attributesSchema } from '../record-schemas.ts'
import { keySchema, object, resourceSchema } from '../schema.ts'
import { sentIn, underAttributes } from '../sent-attributes.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const createRecordTool: Tool = {
  name: 'create_record',
  title: 'Create a record',
  description:
    'Creates one record. Needs name (companies, people, opportunities) or title (tasks, notes). Search first, ' +
    'or use upsert_record, so that nothing exists twice.',
  annotations: adds,
  abilities: ['create'],
  input: object(
    {
      resource: resourceSchema,
      attributes: attributesSchema,
      idempotency_key: keySchema('makes no second record'),
      ...answerArguments,
    },
    ['idempotency_key', 'include', 'fields'],
  ),
  async run(scope, input) {
    const sent = sentIn(input)
    const resource = resourceIn(input)
    if (typeof input.idempotency_key !== 'string') {
      return { ...recordDocument(await underAttributes(createRecord(scope, resource, sent))), created: true }
    }
    const once = createRecordOnce(scope, resource, { ...sent, key: textIn(input, 'idempotency_key') })
    const made = await underAttributes(once, ['idempotency_key'])
    return { ...recordDocument(made), created: made.created }
  },
}
