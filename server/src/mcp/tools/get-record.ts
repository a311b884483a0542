import { answerParameters } from '@kith/contract/answer-options'
import { readRecord } from '../../records/read.ts'
import { reads } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, documentSchema, idSchema } from '../record-schemas.ts'
import { object, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { parametersIn, resourceIn, textIn } from '../tool-input.ts'
import { withExternalIds } from '../with-external-ids.ts'

export const getRecordTool: Tool = {
  name: 'get_record',
  title: 'Read a record',
  description:
    'Reads one record by its ID, with all of its attributes, custom fields and external ids. Bring related records ' +
    'along with include instead of reading them one by one.',
  annotations: reads,
  abilities: ['read'],
  input: object({ resource: resourceSchema, id: idSchema, ...answerArguments }, ['include', 'fields']),
  output: documentSchema(),
  async run(scope, input) {
    const asked = withExternalIds(parametersIn(input, answerParameters))
    return recordDocument(await readRecord(scope, resourceIn(input), { id: textIn(input, 'id'), asked }))
  },
}
