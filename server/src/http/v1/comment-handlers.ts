import { jsonIn, optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import {
  addComment,
  listComments,
  readComment,
  removeComment,
  restoreComment,
  updateComment,
} from '../../records/comments/comments.ts'
import { addressOf, answerDocument, answerScan, askedAmong, askedInQuery, nothingIn, resourceOf } from './requests.ts'

export const commentHandlers = {
  comments: async (scope, request) => {
    const { raw, issues } = askedAmong(request, ['cursor', 'per_page'])
    const listed = await listComments(scope, resourceOf(scope, request), { id: request.id, raw, issues })
    return answerScan(listed, { path: request.path, parameters: raw })
  },
  'add-comment': async (scope, request) => {
    const sent = { id: request.id, body: jsonIn(request.body), issues: noParameters(request) }
    const data = await addComment(scope, resourceOf(scope, request), sent)
    return { ...answerDocument(201, { data }), headers: { Location: addressOf(request, `comments/${data.id}`) } }
  },
  comment: async (scope, request) => {
    return answerDocument(200, { data: await readComment(scope, request.id, noParameters(request)) })
  },
  'update-comment': async (scope, request) => {
    const sent = { id: request.id, body: optionalJsonIn(request.body), issues: noParameters(request) }
    return answerDocument(200, { data: await updateComment(scope, sent) })
  },
  'delete-comment': async (scope, request) => {
    await removeComment(scope, request.id, noParameters(request))
    return { status: 204, body: null }
  },
  'restore-comment': async (scope, request) => {
    return answerDocument(200, { data: await restoreComment(scope, request.id, nothingIn(request)) })
  },
} satisfies Record<string, V1Handler>

function noParameters(request: V1Request) {
  return askedInQuery(request, true).issues
}
