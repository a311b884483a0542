import { updateRecord } from '../../records/update.ts'
import { overwrites } from '../annotations.ts'
import { updateWithEdits } from '../list-edits.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, attributesSchema, idSchema } from '../record-schemas.ts'
import { anyObject, object, resourceSchema } from '../schema.ts'
import { sentIn, underAttributes } from '../sent-attributes.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

const edits = ['add', 'remove'] as const

export const updateRecordTool: Tool = {
  name: 'update_record',
  title: 'Change a record',
  description:
    'Changes what is sent and keeps the rest; null clears. attributes replaces whole lists (emails, tags, company_ids …); ' +
    'add and remove change single items of them.',
  annotations: overwrites,
  abilities: ['update'],
  input: object(
    {
      resource: resourceSchema,
      id: idSchema,
      attributes: attributesSchema,
      add: anyObject('Items to add to lists: {"company_ids": [ID], "custom_fields": {"tags": ["VIP"]}}.'),
      remove: anyObject('Items to remove from lists, in the same form.'),
      ...answerArguments,
    },
    ['attributes', ...edits, 'include', 'fields'],
  ),
  async run(scope, input) {
    const { add, remove } = input
    const [id, sent, resource] = [textIn(input, 'id'), sentIn(input), resourceIn(input)]
    const write =
      add === undefined && remove === undefined
        ? updateRecord(scope, resource, { id, ...sent })
        : updateWithEdits(scope, resource, { id, sent, edits: { add, remove } })
    return recordDocument(await underAttributes(write, edits))
  },
}
