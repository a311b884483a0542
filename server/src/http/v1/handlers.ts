import { refuseIfAny } from '@kith/contract/refusal'
import { listUsers } from '../../accounts/list-users.ts'
import { readToken } from '../../accounts/read-token.ts'
import { readUser } from '../../accounts/who-am-i.ts'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { listFieldDefinitions } from '../../fields/list-definitions.ts'
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
import { changeHandlers, withChangesCursor } from './change-handlers.ts'
import { exportHandlers } from './export-handlers.ts'
import { jobHandlers } from './job-handlers.ts'
import { answerDocument, answerList, answerPage, answerRecord } from './json-api.ts'
import { mergeHandlers } from './merge-handlers.ts'
import { askedInBody, askedInQuery, ifMatch, resourceOf } from './requests.ts'
import { schemaHandlers } from './schema-handlers.ts'
import { webhookHandlers } from './webhook-handlers.ts'

export const handlers = {
  list: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const asked = askedInQuery(request)
    const listed = await listRecords(scope, resourceOf(request), asked)
    return withChangesCursor(scope, listed, answerList(listed, { path: request.path, parameters: asked.raw }))
  },
  query: async (scope, request) => {
    const asked = askedInBody(request)
    const listed = await listRecords(scope, resourceOf(request), asked)
    return withChangesCursor(scope, listed, answerList(listed, { path: request.path, parameters: {} }))
  },
  create: async (scope, request) => {
    const sent = { body: jsonIn(request.body), asked: askedInQuery(request) }
    return answerRecord(201, await createRecord(scope, resourceOf(request), sent))
  },
  read: async (scope, request) => {
    return answerRecord(
      200,
      await readRecord(scope, resourceOf(request), { id: request.id ?? '', asked: askedInQuery(request) }),
    )
  },
  update: async (scope, request) => {
    const sent = { body: optionalJsonIn(request.body), asked: askedInQuery(request), expected: ifMatch(request) }
    return answerRecord(200, await updateRecord(scope, resourceOf(request), { id: request.id ?? '', ...sent }))
  },
  upsert: async (scope, request) => {
    const ifNoneMatch = expectedIn(request.headers.if_none_match)
    const sent = { body: jsonIn(request.body), asked: askedInQuery(request), ifMatch: ifMatch(request), ifNoneMatch }
    const upserted = await upsertRecord(scope, resourceOf(request), sent)
    return answerRecord(upserted.created ? 201 : 200, upserted)
  },
  remove: async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    await removeRecord(scope, resourceOf(request), { id: request.id ?? '', expected: ifMatch(request), issues })
    return { status: 204, body: null }
  },
  ...batchHandlers,
  ...mergeHandlers,
  ...changeHandlers,
  ...exportHandlers,
  ...jobHandlers,
  ...schemaHandlers,
  ...webhookHandlers,
  'custom-fields': async (scope, request) => {
    const asked = askedInQuery(request)
    return answerPage(await listFieldDefinitions(scope, asked), { path: request.path, parameters: asked.raw })
  },
  user: async (scope, request) => {
    refuseIfAny([...askedInQuery(request, true).issues])
    return answerDocument(200, { data: await readUser(scope) })
  },
  users: async (scope, request) => {
    const asked = askedInQuery(request)
    return answerPage(await listUsers(scope, asked), { path: request.path, parameters: asked.raw })
  },
  token: async (scope, request) => {
    refuseIfAny([...askedInQuery(request, true).issues])
    if (!request.token) throw new Error('The request says nothing about its token.')
    return answerDocument(200, { data: await readToken(scope, request.token) })
  },
} satisfies Record<string, (scope: Scope, request: V1Request) => Promise<Answer>>

export type HandlerName = keyof typeof handlers
