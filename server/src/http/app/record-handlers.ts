import { isObject } from '@kith/contract/raw-input'
import { refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireTokenOrConnection } from '../../accounts/oauth/connections.ts'
import { deleteRecords, editRecords } from '../../batch/bulk/change-records.ts'
import { listMatchingIds } from '../../batch/bulk/matching-ids.ts'
import type { Answer } from '../../calls/answer.ts'
import { listActivity } from '../../changes/activity.ts'
import { listAudit } from '../../changes/audit-log.ts'
import { readEntry } from '../../changes/history.ts'
import { findChangesOf } from '../../changes/undo/undo-changes.ts'
import { listInbox } from '../../notifications/inbox.ts'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { listMerges } from '../../records/merge/merges.ts'
import {
  listRepeating,
  readPlan,
  removeReminder,
  removeRepeat,
  replaceReminder,
  replaceRepeat,
} from '../../records/tasks/task-plan.ts'
import { listTrash } from '../../records/trash/trash.ts'
import { readForecast } from '../../reports/forecast.ts'
import { createReport, listReports, removeReport, updateReport } from '../../reports/reports.ts'
import { readStageTimes, readWinRate } from '../../reports/stage-history.ts'
import { loadFirstSample } from '../../sample/load.ts'
import { parseResource, readInput } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerDocument } from '../v1/requests.ts'
import {
  answerData,
  type HandlerRequest,
  needing,
  parametersOf,
  returning,
  type WorkspaceHandler,
} from './web-request.ts'

/**
 * The operations of the application on records that the REST API does not have. Closed while the workspace is paused.
 */
export const recordHandlers = {
  'GET /trash': needing('delete', async (scope, request) => answerPage(await listTrash(scope, pageIn(scope, request)))),
  'GET /duplicates': needing('read', async (scope, request) => {
    const { resource, rest } = namedIn(scope, parametersOf(request))
    const paging = readInput(rest, ({ raw }) => ({
      page: raw('page'),
      per_page: raw('per_page'),
      certainty: raw('certainty'),
    }))
    return answerPage(await findDuplicates(scope, resource, paging))
  }),
  'GET /merges': needing('read', async (scope, request) =>
    answerPage(await listMerges(scope, { ...pageIn(scope, request), undoable: true })),
  ),
  'GET /activity': needing('read', async (scope, request) => {
    const { resource, rest } = namedIn(scope, parametersOf(request))
    const wanted = readInput(rest, ({ raw }) => ({
      record_id: raw('record_id'),
      kinds: raw('kinds'),
      thread: raw('thread'),
      cursor: raw('cursor'),
      per_page: raw('per_page'),
    }))
    const { data, included, ...meta } = await listActivity(scope, resource, wanted)
    return answerDocument(200, { data, included, meta })
  }),
  'GET /inbox': needing('read', async (scope, request) => {
    const { data, next_cursor } = await listInbox(scope, { raw: parametersOf(request), issues: [] })
    return answerDocument(200, { data, meta: { next_cursor } })
  }),
  'GET /history/:id': needing('read', async (scope, request) => {
    const { resource, rest } = namedIn(scope, parametersOf(request))
    const { record_id } = readInput(rest, ({ text }) => ({ record_id: text('record_id') }))
    return answerData(await readEntry(scope, resource, { record_id, id: request.id }))
  }),
  'GET /tokens/:id/changes': needing('update', async (scope, request) => {
    const token = await requireTokenOrConnection(scope, request.id)
    return answerData(await findChangesOf(scope, token, parametersOf(request)))
  }),
  'GET /audit': needing('read_audit_log', async (scope, request) => {
    const wanted = readInput(parametersOf(request), ({ raw }) => ({
      resource: raw('resource'),
      cursor: raw('cursor'),
      per_page: raw('per_page'),
    }))
    return answerPage(await listAudit(scope, wanted))
  }),
  'GET /reports': returning('read', (scope) => listReports(scope)),
  'POST /reports': returning('save_views', (scope, { body }) => createReport(scope, body), 201),
  'PATCH /reports/:id': returning('save_views', (scope, { id, body }) => updateReport(scope, id, body)),
  'DELETE /reports/:id': returning('save_views', (scope, { id }) => removeReport(scope, id)),
  'POST /reports/forecast': returning('read', withResource(readForecast)),
  'POST /reports/win-rate': returning('read', withResource(readWinRate)),
  'POST /reports/stage-times': returning('read', withResource(readStageTimes)),
  // What the application knows of tasks besides their records.
  'GET /repeats': returning('read', (scope) => listRepeating(scope)),
  'GET /tasks/:id/plan': returning('read', (scope, { id }) => readPlan(scope, id)),
  'PUT /tasks/:id/repeat': returning('update', (scope, { id, body }) => replaceRepeat(scope, id, body)),
  'DELETE /tasks/:id/repeat': returning('update', (scope, { id }) => removeRepeat(scope, id)),
  'PUT /tasks/:id/reminder': returning('read', (scope, { id, body }) => replaceReminder(scope, id, body)),
  'DELETE /tasks/:id/reminder': returning('read', (scope, { id }) => removeReminder(scope, id)),
  'POST /sample': needing('manage_workspace', async (scope, { body }) => {
    readInput(body, () => undefined)
    return answerData(await loadFirstSample(scope), 201)
  }),
  // Bulk changes of up to 100 records per request. Their changes can be undone as all others.
  'POST /bulk/ids': returning('read', withResource(listMatchingIds)),
  'POST /bulk/edit': returning('update', withResource(editRecords)),
  'POST /bulk/delete': returning('delete', withResource(deleteRecords)),
} satisfies Record<string, WorkspaceHandler>

/** The body names the resource. */
function withResource(operation: (scope: Scope, resource: Resource, body: unknown) => Promise<unknown>) {
  return (scope: Scope, { body }: HandlerRequest) => {
    const { resource, rest } = namedIn(scope, body)
    return operation(scope, resource, rest)
  }
}

/** The resource that an input names, and the rest of the input. */
function namedIn({ schema }: Scope, input: unknown): { resource: Resource; rest: Record<string, unknown> } {
  const { resource, ...rest } = isObject(input) ? input : {}
  return { resource: parseResource(schema, resource, refuseValue), rest }
}

/** A page of all resources, or of one. */
function pageIn(scope: Scope, request: HandlerRequest) {
  return readInput(parametersOf(request), (fields) => {
    const named = fields.optionalText('resource')
    const resource = named === undefined ? {} : { resource: parseResource(scope.schema, named, fields.report).type }
    return { ...resource, page: fields.raw('page'), per_page: fields.raw('per_page') }
  })
}

function answerPage({ data, ...meta }: { data: readonly unknown[] }): Answer {
  return answerDocument(200, { data, meta })
}
