import { RESTORE_DAYS } from '@kith/contract/limits'
import { listTrash } from '../../records/trash/trash.ts'
import { reads } from '../annotations.ts'
import { object, pageArguments, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

export const listTrashTool: Tool = {
  name: 'list_trash',
  title: 'List deleted records',
  description:
    `The records that were deleted or merged within ${RESTORE_DAYS} days, latest first: when, and by whom. ` +
    'restore_record brings them back.',
  annotations: reads,
  abilities: ['read', 'delete'],
  input: object({ resource: resourceSchema, ...pageArguments() }, ['resource', 'page', 'per_page']),
  run: (scope, { resource, page, per_page }) => {
    const only = resource === undefined ? {} : { resource: resourceIn({ resource }).type }
    return listTrash(scope, { ...only, page, per_page })
  },
}
