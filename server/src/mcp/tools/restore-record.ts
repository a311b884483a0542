import { RESTORE_DAYS } from '@kith/contract/limits'
import { restoreRecord } from '../../records/trash/restore.ts'
import { restores } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { documentSchema, idSchema } from '../record-schemas.ts'
import { object, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const restoreRecordTool: Tool = {
  name: 'restore_record',
  title: 'Restore a deleted record',
  description:
    `Brings a record back that was deleted within ${RESTORE_DAYS} days, with its relations. Restoring one ` +
    'that was merged into another undoes the whole merge. Refused while another record holds one of its ' +
    'unique values.',
  annotations: restores,
  abilities: ['update', 'delete'],
  input: object({ resource: resourceSchema, id: idSchema }),
  output: documentSchema(),
  run: async (scope, input) =>
    recordDocument(await restoreRecord(scope, resourceIn(input), { id: textIn(input, 'id') })),
}
