import { RESTORE_DAYS } from '@kith/contract/limits'
import { restoreRecord } from '../../records/trash/restore.ts'
import { restores } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { idSchema } from '../record-schemas.ts'
import { object, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const restoreRecordTool: Tool = {
  name: 'restore_record',
  title: 'Restore a deleted record',
  description:
    `Restores a record that was deleted within ${RESTORE_DAYS} days, with its relations. For a merged record ` +
    'it undoes the whole merge.',
  annotations: restores,
  abilities: ['update', 'delete'],
  input: object({ resource: resourceSchema, id: idSchema }),
  run: async (scope, input) =>
    recordDocument(await restoreRecord(scope, resourceIn(input), { id: textIn(input, 'id') })),
}
