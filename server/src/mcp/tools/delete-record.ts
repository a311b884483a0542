import { RESTORE_DAYS } from '@kith/contract/limits'
import { removeRecord } from '../../records/trash/remove.ts'
import { overwrites } from '../annotations.ts'
import { idSchema } from '../record-schemas.ts'
import { object, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const deleteRecordTool: Tool = {
  name: 'delete_record',
  title: 'Delete a record',
  description:
    `Deletes one record. restore_record can bring it back for ${RESTORE_DAYS} days. Ask before you delete what ` +
    'someone else made.',
  annotations: overwrites,
  abilities: ['delete'],
  input: object({ resource: resourceSchema, id: idSchema }),
  async run(scope, input) {
    const resource = resourceIn(input)
    const id = textIn(input, 'id')
    await removeRecord(scope, resource, { id })
    return { deleted: true, resource: resource.type, id: id.toLowerCase() }
  },
}
