import { updateRecord } from '../../records/update.ts'
import { overwrites } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, attributesSchema, documentSchema, idSchema } from '../record-schemas.ts'
import { object, resourceSchema } from '../schema.ts'
import { sentIn, underAttributes } from '../sent-attributes.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const updateRecordTool: Tool = {
  name: 'update_record',
  title: 'Change a record',
  description:
    'Changes the attributes that are sent and keeps all others; null clears. Lists (emails, tags, ' +
    'company_ids …) are replaced as a whole: read the record first and send the old values along with the ' +
    'new ones.',
  annotations: overwrites,
  abilities: ['update'],
  input: object({ resource: resourceSchema, id: idSchema, attributes: attributesSchema, ...answerArguments }, [
    'include',
    'fields',
  ]),
  output: documentSchema(),
  async run(scope, input) {
    const write = updateRecord(scope, resourceIn(input), { id: textIn(input, 'id'), ...sentIn(input) })
    return recordDocument(await underAttributes(write))
  },
}
