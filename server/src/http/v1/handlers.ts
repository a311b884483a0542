import { resourceIn } from '@kith/contract/resource'
import { listUsers } from '../../accounts/members.ts'
import { readToken, readUser } from '../../accounts/who-am-i.ts'
import type { Answer } from '../../calls/answer.ts'
import { jsonIn, optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { type ExportPlace, exportRecords } from '../../changes/export-records.ts'
import { type AskedChanges, type ListedChanges, listChanges } from '../../changes/feed.ts'
import { writeFeedCursor } from '../../changes/position.ts'
import { expectedIn, type RawParameters } from '../../records/expected.ts'
import { listRecords } from '../../records/list.ts'
import { readRecord } from '../../records/read.ts'
import { readSummary } from '../../records/summary.ts'
import { removeRecord } from '../../records/trash/restore.ts'
import { createRecord, updateRecord, upsertRecord } from '../../records/write.ts'
import { listFieldDefinitions } from '../../schema/managed.ts'
import type { Scope } from '../../scope/scope.ts'
import { batchHandlers, jobHandlers } from './batch-handlers.ts'
import { commentHandlers } from './comment-handlers.ts'
import { fileHandlers } from './file-handlers.ts'
import { mergeHandlers } from './merge-handlers.ts'
import { notificationHandlers } from './notification-handlers.ts'
import {
  answerDocument,
  answerFile,
  answerList,
  answerRecord,
  askedInBody,
  askedInQuery,
  byPage,
  ifMatch,
  refuseParameters,
  resourceOf,
} from './requests.ts'
import { schemaHandlers } from './schema-handlers.ts'
import { undoHandlers } from './undo-handlers.ts'
import { webhookHandlers } from './webhook-handlers.ts'

/** The changes feed, of the workspace or of one resource. */
const changeHandlers = {
  changes: async (scope, request) => {
    const listed = await listChanges(scope, askedChanges(scope, request))
    const body = `{"data":[${listed.entries.join(',')}],"meta":${JSON.stringify(listed.meta)}}`
    return { status: 200, body, next: feedOf(listed) }
  },
  'changes-stream': async (scope, request) => {
    const listed = await listChanges(scope, { ...askedChanges(scope, request), stream: true })
    const cursors = listed.positions.map((position) => writeFeedCursor(scope, position))
    return { status: 200, body: changeEvents({ ...listed, cursors }), next: feedOf(listed) }
  },
} satisfies Record<string, V1Handler>

export const handlers = {
  list: async (scope, request) => {
    const asked = askedInQuery(request)
    return answerListed(scope, request, { asked, parameters: asked.raw })
  },
  query: async (scope, request) => answerListed(scope, request, { asked: askedInBody(request), parameters: {} }),
  summary: async (scope, request) =>
    answerDocument(200, await readSummary(scope, resourceOf(scope, request), askedInBody(request))),
  create: async (scope, request) => {
    const sent = { body: jsonIn(request.body), asked: askedInQuery(request) }
    return answerRecord(201, await createRecord(scope, resourceOf(scope, request), sent))
  },
  read: async (scope, request) => {
    const asked = { id: request.id, asked: askedInQuery(request) }
    return answerRecord(200, await readRecord(scope, resourceOf(scope, request), asked))
  },
  update: async (scope, request) => {
    const automatic = scope.actor.source === 'web' && request.headers.automatic
    const sent = { body: optionalJsonIn(request.body), asked: askedInQuery(request), expected: ifMatch(request) }
    const change = { id: request.id, ...sent, automatic }
    return answerRecord(200, await updateRecord(scope, resourceOf(scope, request), change))
  },
  upsert: async (scope, request) => {
    const ifNoneMatch = expectedIn(request.headers.if_none_match)
    const sent = { body: jsonIn(request.body), asked: askedInQuery(request), ifMatch: ifMatch(request), ifNoneMatch }
    const upserted = await upsertRecord(scope, resourceOf(scope, request), sent)
    return answerRecord(upserted.created ? 201 : 200, upserted)
  },
  remove: async (scope, request) => {
    const { issues } = askedInQuery(request, true)
    await removeRecord(scope, resourceOf(scope, request), { id: request.id, expected: ifMatch(request), issues })
    return { status: 204, body: null }
  },
  ...batchHandlers,
  ...mergeHandlers,
  ...changeHandlers,
  ...undoHandlers,
  /** The records of a resource as a file. Each answer is one part of it. */
  export: async (scope, request) => {
    const resource = resourceOf(scope, request)
    const { continuation } = request
    // Written below with the previous part.
    const place = continuation === undefined ? undefined : (JSON.parse(continuation) as ExportPlace)
    const part = await exportRecords(scope, resource, { asked: askedInQuery(request), place })
    const name = `${resource.type}-${scope.now().toISOString().slice(0, 10)}`
    const file = { ...part, name, continuation: part.more ? JSON.stringify(part.place) : null }
    return answerFile(file, { 'X-Changes-Cursor': part.place.changes_cursor })
  },
  ...commentHandlers,
  ...fileHandlers,
  ...jobHandlers,
  ...notificationHandlers,
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
    if (!request.token) throw new Error('The request has no token.')
    return answerDocument(200, { data: await readToken(scope, request.token) })
  },
} satisfies Record<string, V1Handler>

export type HandlerName = keyof typeof handlers

/** A list that is paged by cursor has the position in the changes feed before its first page. */
async function answerListed(
  scope: Scope,
  request: V1Request,
  { asked, parameters }: { asked: RawParameters; parameters: RawParameters['raw'] },
): Promise<Answer> {
  const listed = await listRecords(scope, resourceOf(scope, request), asked)
  const answer = answerList(listed, { path: request.path, parameters })
  if (listed.by !== 'cursor' || !listed.feed) return answer
  const { epoch, sequence } = listed.feed
  return { ...answer, headers: { 'X-Changes-Cursor': writeFeedCursor(scope, { epoch, sequence }) } }
}

function askedChanges(scope: Scope, request: V1Request): AskedChanges {
  const path = request.resource === null ? {} : { resource: resourceIn(scope.schema, request.resource) }
  return { ...path, asked: askedInQuery(request), resync: resyncAt(request) }
}

function feedOf({ meta, wait }: ListedChanges) {
  return { kind: 'feed', ...meta, wait } as const
}

/** The address at which a mirror starts again after changes have expired. */
function resyncAt({ path }: V1Request): string {
  return `${path.slice(0, path.lastIndexOf('/v1/'))}/v1/changes?cursor=start`
}

/** Entries as server-sent events. The id of each is the cursor after it: a disconnected client continues there. */
function changeEvents({ entries, cursors, meta }: ListedChanges & { cursors: readonly string[] }): string {
  const events = entries.map((entry, index) => `id: ${cursors[index]}\nevent: change\ndata: ${entry}\n\n`)
  // Changes that are not for this reader move the position, too. Before the hand-off, only entries do.
  const moved = meta.phase === 'live' && cursors.at(-1) !== meta.next_cursor
  return events.join('') + (moved ? `id: ${meta.next_cursor}\n\n` : '')
}
