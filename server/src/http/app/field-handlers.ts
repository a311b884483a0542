import { type Issue, reportInto } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
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
import { parseResourceName } from '../../scope/resource-name.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerData, bodyOf, done, paramOf, queryOf } from './web-request.ts'

/** Custom fields, for those who manage them. */
export const fieldHandlers = {
  fields: async (scope: Scope, request: WebRequest): Promise<Answer> =>
    answerData(await listManagedFields(scope, queryOf(request))),
  'create-field': async (scope, request) => {
    const body = bodyOf(request)
    return answerData(presentManaged(await createField(scope, resourceIn(body), body), 0), 201)
  },
  'order-fields': async (scope, request) => answerData(await orderFields(scope, bodyOf(request))),
  'update-field': async (scope, request) =>
    answerData(await changeManagedField(scope, paramOf(request, 'id'), bodyOf(request))),
  'archive-field': async (scope, request) =>
    answerData(presentManaged(await archiveField(scope, await addressOf(scope, paramOf(request, 'id'))))),
  'restore-field': async (scope, request) =>
    answerData(presentManaged(await restoreField(scope, await addressOf(scope, paramOf(request, 'id'))))),
  'delete-field': async (scope, request) => {
    await deleteField(scope, await addressOf(scope, paramOf(request, 'id')))
    return done
  },
  'field-duplicates': async (scope, request) =>
    answerData({ count: await countFieldDuplicates(scope, paramOf(request, 'id')) }),
  'field-values': async (scope, request) =>
    answerData({ count: await countFieldValues(scope, paramOf(request, 'id')) }),
} satisfies Record<string, (scope: Scope, request: WebRequest) => Promise<Answer>>

function resourceIn(body: unknown) {
  const issues: Issue[] = []
  const sent = isObject(body) ? body.entity_type : undefined
  const resource = parseResourceName(typeof sent === 'string' ? sent : '', reportInto(issues), 'entity_type')
  refuseIfAny(issues)
  return resource
}
