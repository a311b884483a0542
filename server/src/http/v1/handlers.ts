import { type Issue, reportInto } from '@kith/contract/issue'
import { parseQueryString } from '@kith/contract/query-string'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { listUsers } from '../../accounts/list-users.ts'
import { readToken } from '../../accounts/read-token.ts'
import { readUser } from '../../accounts/who-am-i.ts'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { listFieldDefinitions } from '../../fields/list-definitions.ts'
import type { Asked } from '../../records/ask.ts'
import { createRecord } from '../../records/create.ts'
import type { Expected } from '../../records/expected.ts'
import { listRecords } from '../../records/list.ts'
import { readRecord } from '../../records/read.ts'
import { removeRecord } from '../../records/trash/remove.ts'
import { updateRecord } from '../../records/update.ts'
import { upsertRecord } from '../../records/upsert.ts'
import type { Scope } from '../../scope/scope.ts'
import { jsonIn, optionalJsonIn } from '../wire/body.ts'
import { expectedIn } from './conditions.ts'
import { answerDocument, answerList, answerPage, answerRecord } from './json-api.ts'

export const handlers = {
  list: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const asked = askedInQuery(request)
    return answerList(await listRecords(scope, resourceOf(request), asked), {
      path: request.path,
      parameters: asked.raw,
    })
  },
  query: async (scope, request) => {
    const asked = askedInBody(request)
    return answerList(await listRecords(scope, resourceOf(request), asked), { path: request.path, parameters: {} })
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

function resourceOf(request: V1Request): Resource {
  if (request.resource === null) throw new Error(`The ${request.handler} handler needs a resource.`)
  return registry[request.resource]
}

function ifMatch({ headers }: V1Request): Expected {
  return expectedIn(headers.if_match)
}

function askedInQuery({ query }: V1Request, none = false): Asked {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  if (none) for (const name of Object.keys(raw)) issues.push(noParameter(name, 'This endpoint takes no parameters.'))
  return { raw, loose: true, issues }
}

/** A query takes its parameters in the body. Parameters in the query string are refused, not ignored. */
function askedInBody(request: V1Request): Asked {
  const issues: Issue[] = []
  const inAddress = parseQueryString(request.query, reportInto(issues))
  for (const name of Object.keys(inAddress)) {
    issues.push(noParameter(name, 'A query takes its parameters in the body.'))
  }
  const body = optionalJsonIn(request.body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    refuse({
      kind: 'invalid',
      issues: [{ path: 'body', message: 'The request body must be a JSON object.' }, ...issues],
    })
  }
  return { raw: { ...body }, loose: false, issues }
}

function noParameter(name: string, why: string): Issue {
  const shown = name.slice(0, 100)
  return { path: shown, message: `The parameter ${shown} is not known. ${why}` }
}
