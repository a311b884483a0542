import type { ResourceName } from '@kith/contract/resource'
import type { ListQuery } from '../records/list-query.ts'
import { PAGE_SIZE } from '../records/record-window.ts'
import { exportCalls } from './export-calls.ts'
import { followCalls } from './follow-calls.ts'
import { type ApiCall, listCalls } from './list-calls.ts'
import { webhookCalls } from './webhook-calls.ts'

/** Every call that has to do with a list: reads it, exports it, follows its changes. */
export function callsOfList(api: string, resource: ResourceName, asked: ListQuery): ApiCall[] {
  return [
    ...listCalls(api, resource, { per_page: PAGE_SIZE, ...asked }),
    ...exportCalls(api, resource, asked),
    ...followCalls(api, resource, asked),
    ...webhookCalls(api, resource, asked),
  ]
}
