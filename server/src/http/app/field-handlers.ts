import { isObject } from '@kith/contract/raw-input'
import { archiveField, restoreField } from '../../fields/archive.ts'
import { createField } from '../../fields/define.ts'
import {
  addressOf,
  changeManagedField,
  countFieldDuplicates,
  countFieldValues,
  listManagedFields,
  presentManaged,
} from '../../fields/managed.ts'
import { orderFields } from '../../fields/order.ts'
import { deleteField } from '../../fields/remove.ts'
import { requireResourceName } from '../../scope/resource-name.ts'
import { answerData, parametersOf, type WorkspaceHandler } from './web-request.ts'

/** Custom fields, for those who manage them. */
export const fieldHandlers = {
  'GET /fields': async (scope, request) => answerData(await listManagedFields(scope, parametersOf(request))),
  'POST /fields': async (scope, { body }) => {
    const resource = requireResourceName(isObject(body) ? body.entity_type : undefined, 'entity_type')
    return answerData(presentManaged(await createField(scope, resource, body), 0), 201)
  },
  'POST /fields/order': async (scope, { body }) => answerData(await orderFields(scope, body)),
  'PATCH /fields/:id': async (scope, { id, body }) => answerData(await changeManagedField(scope, id, body)),
  'POST /fields/:id/archive': async (scope, { id }) =>
    answerData(presentManaged(await archiveField(scope, await addressOf(scope, id)))),
  'POST /fields/:id/restore': async (scope, { id }) =>
    answerData(presentManaged(await restoreField(scope, await addressOf(scope, id)))),
  'DELETE /fields/:id': async (scope, { id }) => answerData(await deleteField(scope, await addressOf(scope, id))),
  'GET /fields/:id/duplicates': async (scope, { id }) => answerData({ count: await countFieldDuplicates(scope, id) }),
  'GET /fields/:id/values': async (scope, { id }) => answerData({ count: await countFieldValues(scope, id) }),
} satisfies Record<string, WorkspaceHandler>
