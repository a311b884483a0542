import { RESTORE_DAYS } from '@kith/contract/limits'
import { restoreRecord } from '../../records/trash/restore.ts'
import { listTrash } from '../../records/trash/trash.ts'
import { idSchema, recordDocument } from '../record-arguments.ts'
import { object, pageArguments, resourceSchema } from '../schema.ts'
import { reads, restores, type Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

export const listTrashTool: Tool = {
  name: 'list_trash',
  title: 'List deleted records',
  description:
    `The records that were deleted or merged within ${RESTORE_DAYS} days, latest first: when, and by whom. ` +
    'restore_record brings them back.',
  ...reads,
  abilities: ['read', 'delete'],
  input: object({}, { resource: resourceSchema, ...pageArguments() }),
  run: (scope, { resource, page, per_page }) => {
    const only = resource ? { resource: resourceIn({ resource }).type } : {}
    return listTrash(scope, { ...only, page, per_page })
  },
}

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
