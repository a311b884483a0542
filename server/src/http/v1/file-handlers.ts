import { fileName, parseContentType } from '@kith/contract/file'
import { type Issue, reportInto } from '@kith/contract/issue'
import { isUnsent } from '@kith/contract/raw-input'
import { optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import {
  addFile,
  expectFile,
  listFiles,
  presentFile,
  readFile,
  removeFile,
  restoreFile,
  updateFile,
} from '../../records/files/files.ts'
import { attachmentNamed } from '../wire/attachment.ts'
import { addressOf, answerDocument, answerPage, askedAmong, askedInQuery, resourceOf } from './requests.ts'

export const fileHandlers = {
  files: async (scope, request) => {
    const asked = askedInQuery(request)
    const listed = await listFiles(scope, resourceOf(scope, request), { id: request.id, asked })
    return answerPage(listed, { path: request.path, parameters: asked.raw })
  },
  'expect-file': async (scope, request) => {
    const mayRepeat = request.headers.idempotency_key !== null
    const { issues } = uploadIn(request)
    await expectFile(scope, resourceOf(scope, request), { id: request.id, issues, mayRepeat })
    return { status: 200, body: null }
  },
  'add-file': async (scope, request) => {
    if (!request.content) throw new Error('The request has no content.')
    const { name, content_type, issues } = uploadIn(request)
    const content = { ...request.content, content_type }
    const data = await addFile(scope, resourceOf(scope, request), { id: request.id, name, content, issues })
    return { ...answerDocument(201, { data }), headers: { Location: addressOf(request, `files/${data.id}`) } }
  },
  file: async (scope, request) => {
    const row = await readFile(scope, request.id, askedInQuery(request, true).issues)
    return answerDocument(200, { data: presentFile(row, scope) })
  },
  'file-content': async (scope, request) => {
    const { workspace_id, sha256, size, name, content_type } = await readFile(
      scope,
      request.id,
      askedInQuery(request, true).issues,
    )
    const headers = {
      ETag: `"${sha256}"`,
      'Content-Type': content_type,
      'Content-Disposition': attachmentNamed(name),
      'Accept-Ranges': 'bytes',
    }
    return { status: 200, body: null, headers, next: { kind: 'content', workspace_id, sha256, size } }
  },
  'update-file': async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    const data = await updateFile(scope, { id: request.id, body: optionalJsonIn(request.body), issues })
    return answerDocument(200, { data })
  },
  'delete-file': async (scope, request) => {
    await removeFile(scope, request.id, askedInQuery(request, true).issues)
    return { status: 204, body: null }
  },
  'restore-file': async (scope, request) => {
    return answerDocument(200, { data: await restoreFile(scope, request.id, askedInQuery(request, true).issues) })
  },
} satisfies Record<string, V1Handler>

/** What the request says about its file, and the problems with that. */
function uploadIn(request: V1Request): { name: string; content_type: string; issues: Issue[] } {
  const { raw, issues } = askedAmong(request, ['name'])
  const report = reportInto(issues)
  const { content_type = '', encoding = 'identity', length = null } = request.announced ?? {}
  if (isUnsent(raw.name)) report('name', 'The name is required: send it as ?name=offer.pdf.')
  const name = isUnsent(raw.name) ? '' : (fileName.parse(raw.name, 'name', report) ?? '')
  if (encoding !== 'identity') {
    report('file', 'The Content-Encoding is not accepted. Send the bytes of the file as they are.')
  }
  if (length === 0) report('file', 'The file is empty. Send its bytes as the body of the request.')
  return { name, content_type: parseContentType(content_type, report), issues }
}
