import { listUsers } from '../../accounts/list-users.ts'
import { readToken } from '../../accounts/read-token.ts'
import { readUser } from '../../accounts/who-am-i.ts'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { writeFeedCursor } from '../../changes/cursor.ts'
import { type ExportPlace, exportRecords } from '../../export/export-records.ts'
import { listFieldDefinitions } from '../../fields/list.ts'
import type { Asked } from '../../records/ask.ts'
import { createRecord } from '../../records/create.ts'
import { expectedIn } from '../../records/expected.ts'
import { listRecords } from '../../records/list.ts'
import { readRecord } from '../../records/read.ts'
import { removeRecord } from '../../records/trash/remove.ts'
import { updateRecord } from '../../records/update.ts'
import { upsertRecord } from '../../records/upsert.ts'
import type { Scope } from '../../scope/scope.ts'
import { jsonIn, optionalJsonIn } from '../wire/body.ts'
import { batchHandlers } from './batch-handlers.ts'
import { changeHandlers } from './change-handlers.ts'
import { jobHandlers } from './job-handlers.ts'
import { answerDocument, answerFile, answerList, answerRecord } from './json-api.ts'
import { mergeHandlers } from './merge-handlers.ts'
import { askedInBody, askedInQuery, byPage, ifMatch, refuseParameters, resourceOf, type V1Handler } from './requests.ts'
import { schemaHandlers } from './schema-handlers.ts'
import { webhookHandlers } from './webhook-handlers.ts'

export const handlers = {
  list: async (scope, request) => {
    const asked = askedInQuery(request)
    return answerListed(scope, request, { asked, parameters: asked.raw })
  },
  query: async (scope, request) => answerListed(scope, request, { asked: askedInBody(request), parameters: {} }),
  create: async (scope, request) => {
    const sent = { body: jsonIn(request.body), asked: askedInQuery(request) }
    return answerRecord(201, await createRecord(scope, resourceOf(request), sent))
  },
  read: async (scope, request) => {
    const asked = { id: request.id, asked: askedInQuery(request) }
    return answerRecord(200, await readRecord(scope, resourceOf(request), asked))
  },
  update: async (scope, request) => {
    const sent = { body: optionalJsonIn(request.body), asked: askedInQuery(request), expected: ifMatch(request) }
    return answerRecord(200, await updateRecord(scope, resourceOf(request), { id: request.id, ...sent }))
  },
  upsert: async (scope, request) => {
    const ifNoneMatch = expectedIn(request.headers.if_none_match)
    const sent = { body: jsonIn(request.body), asked: askedInQuery(request), ifMatch: ifMatch(request), ifNoneMatch }
    const upserted = await upsertRecord(scope, resourceOf(request), sent)
    return answerRecord(upserted.created ? 201 : 200, upserted)
  },
  remove: async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    await removeRecord(scope, resourceOf(request), { id: request.id, expected: ifMatch(request), issues })
    return { status: 204, body: null }
  },
  ...batchHandlers,
  ...mergeHandlers,
  ...changeHandlers,
  /** The records of a resource as a file. Each answer is one part of it. */
  export: async (scope, request) => {
    const resource = resourceOf(request)
    const { continuation } = request
    // Written below, with the part before.
    const place = continuation === undefined ? undefined : (JSON.parse(continuation) as ExportPlace)
    const part = await exportRecords(scope, resource, { asked: askedInQuery(request), place })
    const name = `${resource.type}-${scope.now().toISOString().slice(0, 10)}`
    const file = { ...part, name, continuation: part.more ? JSON.stringify(part.place) : null }
    return answerFile(file, { 'X-Changes-Cursor': part.place.changes_cursor })
  },
  ...jobHandlers,
  ...schemaHandlers,
  ...webhookHandlers,
  'custom-fields': byPage(listFieldDefinitions),
  user: async (scope, request) => {
    refuseParameters(request)
    return answerDocument(200, { data: await readUser(scope) })
  },
  users: byPage(listUsers),
  token: async (scope, request) => {
    refuseParameters(request)
    if (!request.token) throw new Error('The request says nothing about its token.')
    return answerDocument(200, { data: await readToken(scope, request.token) })
  },
} satisfies Record<string, V1Handler>

export type HandlerName = keyof typeof handlers

/** What a list is asked for, and the parameters of its address. */
type ListAsked = { asked: Asked; parameters: Asked['raw'] }

/** A list that is paged by cursor has the place in the changes feed before its first page. */
async function answerListed(scope: Scope, request: V1Request, { asked, parameters }: ListAsked): Promise<Answer> {
  const listed = await listRecords(scope, resourceOf(request), asked)
  const answer = answerList(listed, { path: request.path, parameters })
  if (listed.by !== 'cursor' || !listed.feed) return answer
  const { epoch, sequence } = listed.feed
  return { ...answer, headers: { 'X-Changes-Cursor': writeFeedCursor(scope, { epoch, sequence }) } }
}
