import { type Issue, reportInto } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { exportAudit } from '../../audit/export.ts'
import { listAudit } from '../../audit/list.ts'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { mergeRecords } from '../../records/merge/merge.ts'
import { listMerges } from '../../records/merge/merges.ts'
import { undoMerge } from '../../records/merge/undo-merge.ts'
import { searchRecords } from '../../records/search.ts'
import { summarizeRecords } from '../../records/summarize.ts'
import { restoreRecord } from '../../records/trash/restore.ts'
import { listTrash, type PageOf } from '../../records/trash/trash.ts'
import { readInput } from '../../scope/read-input.ts'
import { parseResourceName } from '../../scope/resource-name.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerRecord } from '../v1/json-api.ts'
import { answerData, bodyOf, paramOf, queryOf } from './web-request.ts'

/** What the application does with records beyond the REST API. */
export const recordHandlers = {
  search: async (scope: Scope, request: WebRequest): Promise<Answer> => {
    const query = readInput(queryOf(request), (fields) => fields.raw('q') ?? '')
    return answerData(await searchRecords(scope, { query }))
  },
  summarize: async (scope, request) => {
    const { resource, rest } = resourceIn(bodyOf(request))
    const { rows, currency } = await summarizeRecords(scope, resource, rest)
    return { status: 200, body: JSON.stringify({ data: rows, meta: { currency } }) }
  },
  trash: async (scope, request) => answerPage(await listTrash(scope, pageIn(request))),
  restore: async (scope, request) => {
    const { resource } = resourceIn({ resource: paramOf(request, 'resource') })
    return answerRecord(200, await restoreRecord(scope, resource, paramOf(request, 'id')))
  },
  duplicates: async (scope, request) => {
    const { resource, rest } = resourceIn(queryOf(request))
    const asked = readInput(rest, (fields) => ({ page: fields.raw('page'), per_page: fields.raw('per_page') }))
    return answerPage(await findDuplicates(scope, resource, asked))
  },
  merge: async (scope, request) => {
    const { resource, rest } = resourceIn(bodyOf(request))
    const { merge_id, ...merged } = await mergeRecords(scope, resource, rest)
    const { body, ...answer } = answerRecord(200, merged)
    // A single record with nothing along has no meta of its own.
    return { ...answer, body: `${body?.slice(0, -1)},"meta":${JSON.stringify({ merge_id })}}` }
  },
  merges: async (scope, request) => answerPage(await listMerges(scope, pageIn(request))),
  'undo-merge': async (scope, request) => answerRecord(200, await undoMerge(scope, paramOf(request, 'id'))),
  /** One part of a file; the route asks for them in turn. */
  'audit-export': async (scope, request) => {
    const { format, resource } = readInput(queryOf(request), ({ raw }) => ({
      format: raw('format') === 'csv' ? ('csv' as const) : ('ndjson' as const),
      resource: raw('resource'),
    }))
    const part = await exportAudit(scope, { format, resource, cursor: paramOf(request, 'cursor') })
    return { status: 200, body: JSON.stringify(part) }
  },
  audit: async (scope, request) => {
    const asked = readInput(queryOf(request), ({ raw }) => ({
      ...{ resource: raw('resource'), record_id: raw('record_id'), cursor: raw('cursor') },
      ...{ page: raw('page'), per_page: raw('per_page') },
    }))
    const { data, ...meta } = await listAudit(scope, asked)
    return { status: 200, body: JSON.stringify({ data, meta }) }
  },
} satisfies Record<string, (scope: Scope, request: WebRequest) => Promise<Answer>>

/** The resource that an input names, and what else it says. */
function resourceIn(input: unknown): { resource: Resource; rest: Record<string, unknown> } {
  const issues: Issue[] = []
  const { resource, ...rest } = isObject(input) ? input : {}
  const name = parseResourceName(typeof resource === 'string' ? resource : '', reportInto(issues))
  refuseIfAny(issues)
  return { resource: registry[name], rest }
}

/** A page of all resources, or of one. */
function pageIn(request: WebRequest) {
  return readInput(queryOf(request), (fields) => {
    const named = fields.optionalText('resource')
    const resource = named === undefined ? {} : { resource: parseResourceName(named, fields.report) }
    return { ...resource, page: fields.raw('page'), per_page: fields.raw('per_page') }
  })
}

function answerPage({ data, total, page, per_page }: PageOf<unknown>): Answer {
  return { status: 200, body: JSON.stringify({ data, meta: { total, page, per_page } }) }
}
