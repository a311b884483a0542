import { hash } from 'node:crypto'
import { type Issue, reportInto } from '@kith/contract/issue'
import { type PageQuery, parsePageQuery } from '@kith/contract/list-query'
import { duplicate, merge, trashed } from '@kith/contract/merge'
import { isUnsent } from '@kith/contract/raw-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { shownOf } from '@kith/contract/shape'
import type { Answer } from '../../calls/answer.ts'
import { jsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { readHistory } from '../../changes/history.ts'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { mergeInto } from '../../records/merge/merge.ts'
import { listMerges } from '../../records/merge/merges.ts'
import { undoMerge } from '../../records/merge/undo-merge.ts'
import { searchRecords } from '../../records/search.ts'
import { restoreRecord } from '../../records/trash/restore.ts'
import { listTrash, type PageOf } from '../../records/trash/trash.ts'
import { parseResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import {
  answerPage,
  answerRecord,
  answerScan,
  askedAmong,
  askedInQuery,
  ifMatch,
  nothingIn,
  resourceOf,
} from './requests.ts'

/** Search, merges, duplicates, the trash and the history of a record. */
export const mergeHandlers = {
  merge: async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    const sent = { id: request.id, body: jsonIn(request.body), expected: ifMatch(request), issues }
    const merged = await mergeInto(scope, resourceOf(scope, request), sent)
    return answerRecord(200, merged, { merge_id: merged.merge_id })
  },
  merges: async (scope, request) => {
    const listed = await listMerges(scope, pageIn(scope, request, ['resource']))
    return answerObjects(request, 'merges', { ...listed, data: listed.data.map(presentMerge) })
  },
  'undo-merge': async (scope, request) => {
    return answerRecord(200, await undoMerge(scope, request.id, nothingIn(request)))
  },
  restore: async (scope, request) => {
    const sent = { id: request.id, expected: ifMatch(request), issues: nothingIn(request) }
    return answerRecord(200, await restoreRecord(scope, resourceOf(scope, request), sent))
  },
  trash: async (scope, request) => {
    const listed = await listTrash(scope, pageIn(scope, request, ['resource']))
    return answerObjects(request, 'trash', { ...listed, data: listed.data.map(presentTrashed) })
  },
  search: async (scope, request) => {
    const { raw, issues } = askedAmong(request, ['q', 'resource', 'per_page', 'page'])
    const { q: query, resource, page, per_page } = raw
    const listed = await searchRecords(scope, { query, resource, page, per_page, issues })
    return answerObjects(request, 'search_results', listed)
  },
  duplicates: async (scope, request) => {
    const asked = { ...pageIn(scope, request, ['certainty']), certainty: askedInQuery(request).raw.certainty }
    const listed = await findDuplicates(scope, resourceOf(scope, request), asked)
    return answerObjects(request, 'duplicates', { ...listed, data: listed.data.map(presentDuplicate) })
  },
  history: async (scope, request) => {
    const { raw, issues } = askedAmong(request, ['field', 'cursor', 'per_page'])
    const listed = await readHistory(scope, resourceOf(scope, request), { id: request.id, raw, issues })
    const data = listed.data.map(({ id, ...attributes }) => ({ id, type: 'history', attributes }))
    return answerScan({ ...listed, data }, { path: request.path, parameters: raw })
  },
} satisfies Record<string, V1Handler>

type Listed<List extends (...args: never[]) => Promise<PageOf<unknown>>> = Awaited<ReturnType<List>>['data'][number]

function presentMerge({ id, winner, losers, merged_by, ...row }: Listed<typeof listMerges>) {
  const loser_ids = losers.map((loser) => loser.id)
  return { id, ...shownOf(merge, { ...row, winner_id: winner.id, loser_ids, merged_by: merged_by?.id ?? null }) }
}

function presentDuplicate({ field, records, ...found }: Listed<typeof findDuplicates>) {
  const { certainty, value } = found
  const id = hash('sha256', JSON.stringify([certainty, field.code, value]), 'base64url').slice(0, 26)
  return { id, ...shownOf(duplicate, { ...found, field: field.code, record_ids: records.map((record) => record.id) }) }
}

function presentTrashed({ id, deleted_by, ...row }: Listed<typeof listTrash>) {
  return { id, ...shownOf(trashed, { ...row, deleted_by: deleted_by?.id ?? null }) }
}

/** The parameters of a page. If `others` contains a resource, it is parsed here. */
function pageIn(scope: Scope, request: V1Request, others: readonly string[]): PageQuery & { resource?: ResourceName } {
  const { raw, issues: found } = askedInQuery(request)
  const issues: Issue[] = [...found]
  const report = reportInto(issues)
  const page = parsePageQuery(raw, others, report)
  const named = others.includes('resource') && !isUnsent(raw.resource)
  const resource = named ? { resource: parseResource(scope.schema, raw.resource, report).type } : {}
  refuseIfAny(issues)
  return { ...page, ...resource }
}

/** A page of objects of one type. All keys except the id become attributes. */
function answerObjects(request: V1Request, type: string, listed: PageOf<{ id: string }>): Answer {
  const data = listed.data.map(({ id, ...attributes }) => ({ id, type, attributes }))
  return answerPage({ ...listed, data }, { path: request.path, parameters: askedInQuery(request).raw })
}
