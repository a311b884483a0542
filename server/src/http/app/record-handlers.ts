import { isObject } from '@kith/contract/raw-input'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { listActivity } from '../../audit/activity.ts'
import { exportAudit, exportFormats } from '../../audit/export.ts'
import { listAudit } from '../../audit/list.ts'
import type { Answer } from '../../calls/answer.ts'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { mergeRecords } from '../../records/merge/merge.ts'
import { listMerges } from '../../records/merge/merges.ts'
import { undoMerge } from '../../records/merge/undo-merge.ts'
import { summarizeRecords } from '../../records/summarize.ts'
import { restoreRecord } from '../../records/trash/restore.ts'
import { listTrash } from '../../records/trash/trash.ts'
import { readInput } from '../../scope/read-input.ts'
import { parseResourceName, requireResourceName } from '../../scope/resource-name.ts'
import { answerDocument, answerRecord } from '../v1/json-api.ts'
import { type HandlerRequest, parametersOf, type WorkspaceHandler } from './web-request.ts'

/** What the application does with records beyond the REST API. */
export const recordHandlers = {
  'POST /summarize': async (scope, { body }) => {
    const { resource, rest } = resourceIn(body)
    const { rows, currency } = await summarizeRecords(scope, resource, rest)
    return answerDocument(200, { data: rows, meta: { currency } })
  },
  'GET /trash': async (scope, request) => answerPage(await listTrash(scope, pageIn(request))),
  'POST /trash/:resource/:id/restore': async (scope, { params, id }) => {
    const { resource } = resourceIn(params)
    return answerRecord(200, await restoreRecord(scope, resource, { id }))
  },
  'GET /duplicates': async (scope, request) => {
    const { resource, rest } = resourceIn(parametersOf(request))
    const paging = readInput(rest, ({ raw }) => ({
      ...{ page: raw('page'), per_page: raw('per_page'), certainty: raw('certainty') },
    }))
    return answerPage(await findDuplicates(scope, resource, paging))
  },
  'POST /merge': async (scope, { body }) => {
    const { resource, rest } = resourceIn(body)
    const merged = await mergeRecords(scope, resource, rest)
    return answerRecord(200, merged, { merge_id: merged.merge_id })
  },
  'GET /merges': async (scope, request) => answerPage(await listMerges(scope, { ...pageIn(request), undoable: true })),
  'POST /merges/:id/undo': async (scope, { id }) => answerRecord(200, await undoMerge(scope, id)),
  'GET /activity': async (scope, request) => {
    const { resource, rest } = resourceIn(parametersOf(request))
    const wanted = readInput(rest, ({ raw }) => ({
      ...{ record_id: raw('record_id'), kinds: raw('kinds'), cursor: raw('cursor'), per_page: raw('per_page') },
    }))
    const { data, included, ...meta } = await listActivity(scope, resource, wanted)
    return answerDocument(200, { data, included, meta })
  },
  /** One part of a file. The route requests all parts. */
  'GET /audit/export': async (scope, request) => {
    const wanted = readInput(parametersOf(request), ({ raw, report }) => {
      const format = exportFormats.find((one) => one === raw('format'))
      if (format === undefined) report('format', 'The format must be csv or ndjson.')
      return { format: format ?? 'csv', resource: raw('resource') }
    })
    const part = await exportAudit(scope, { ...wanted, cursor: request.params.cursor })
    return answerDocument(200, { format: wanted.format, ...part })
  },
  'GET /audit': async (scope, request) => {
    const wanted = readInput(parametersOf(request), ({ raw }) => ({
      ...{ resource: raw('resource'), record_id: raw('record_id'), cursor: raw('cursor') },
      ...{ page: raw('page'), per_page: raw('per_page') },
    }))
    return answerPage(await listAudit(scope, wanted))
  },
} satisfies Record<string, WorkspaceHandler>

/** The resource that an input names, and the rest of the input. */
function resourceIn(input: unknown): { resource: Resource; rest: Record<string, unknown> } {
  const { resource, ...rest } = isObject(input) ? input : {}
  return { resource: registry[requireResourceName(resource)], rest }
}

/** A page of all resources, or of one. */
function pageIn(request: HandlerRequest) {
  return readInput(parametersOf(request), (fields) => {
    const named = fields.optionalText('resource')
    const resource = named === undefined ? {} : { resource: parseResourceName(named, fields.report) }
    return { ...resource, page: fields.raw('page'), per_page: fields.raw('per_page') }
  })
}

function answerPage({ data, ...meta }: { data: readonly unknown[] }): Answer {
  return answerDocument(200, { data, meta })
}
