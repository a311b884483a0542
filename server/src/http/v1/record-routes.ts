import type { Ability } from '@kith/contract/abilities'
import {
  AUDIT_DAYS,
  BATCH_BODY_MAX_BYTES,
  BATCH_CHUNK,
  BATCH_MAX,
  BODY_MAX_BYTES,
  FILE_MAX_MB,
  FILES_PER_RECORD_MAX,
  MERGE_MAX,
  QUERY_BODY_MAX_BYTES,
  RESTORE_DAYS,
} from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { RESOURCE_CODE } from '@kith/contract/resource-code'
import type { Lane } from '../../calls/call.ts'
import { shownParameters } from '../openapi/parameters.ts'
import {
  answerOf,
  anyOne,
  listOf,
  manyOf,
  noContent,
  type OperationText,
  oneOf,
  placed,
  SLOW,
  success,
  tagged,
  textBody,
  written,
} from '../openapi/schema.ts'
import type { HandlerName } from './handlers.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type V1Route = {
  method: Method
  /** Below `/v1`, with `:id` for an id and `:resource` for the name of a resource. */
  path: string
  handler: HandlerName
  resource: ResourceName | null
  abilities: readonly Ability[]
  /** The permissions that the role of the caller needs in addition. */
  permissions?: readonly Permission[]
  /** Whether members of every role may do it, because it concerns only themselves. */
  everyRole?: true
  /** The rate limit that the request counts towards. */
  kind: 'read' | 'write'
  /** The lane of the call, depending on its query string. */
  lane: (query: string) => Lane
  /** Whether a replica may answer once it has caught up with the primary. */
  replica?: true
  /** Whether the ETag consists of the versions of the workspace, without reading the rows. */
  tagged?: true
  /**
   * Whether an empty response may be held, or the response is a stream of changes, a file that is sent in parts, or the
   * content of a file.
   */
  follows?: 'wait' | 'stream' | 'parts' | 'content'
  /** Whether a response may be held while it does not change. */
  holds?: true
  /** Whether the resource in the path may be archived. */
  archived?: true
  /** Whether the body is stored while it is received: the file of an import, or a file of a record. */
  receives?: 'import' | 'file'
  bodyMax: number
}

export const always = (lane: Lane) => () => lane
const shortIf = (isShort: (query: string) => boolean) => (query: string) => (isShort(query) ? 'short' : 'read')

const usual = { resource: null, bodyMax: BODY_MAX_BYTES } as const
export const read = { ...usual, kind: 'read', lane: always('read'), abilities: ['read'] } as const
export const write = { ...usual, kind: 'write', lane: always('write') } as const

/** PUT and PATCH are the same partial update. */
export function updates(route: Omit<V1Route, 'method'>): V1Route[] {
  return [
    { ...route, method: 'PUT' },
    { ...route, method: 'PATCH' },
  ]
}

/** What members of every role do for themselves. */
export const own = { ...write, everyRole: true } as const

/** The abilities depend on the operations, so the handler checks them after it has read the body. */
export const batch = { ...write, abilities: [], bodyMax: BATCH_BODY_MAX_BYTES } as const

/** The abilities depend on the change, so the handler checks them after it has found it. */
export const undo = { ...write, abilities: [] } as const

export function recordRoutes(resource: ResourceName): V1Route[] {
  return routesBelow(`/${resource}`).map((route) => ({ ...route, resource }))
}

/** The same endpoints of the resources that a workspace has made. */
export const ownRoutes: readonly V1Route[] = routesBelow(`/:resource(${RESOURCE_CODE})`)

function routesBelow(list: string): V1Route[] {
  const one = `${list}/:id`
  const shortLists = { ...read, lane: shortIf(isShortList), replica: true, tagged: true } as const
  const query = { ...read, bodyMax: QUERY_BODY_MAX_BYTES, replica: true } as const
  return [
    { method: 'GET', path: list, handler: 'list', ...shortLists },
    { method: 'POST', path: list, handler: 'create', ...write, abilities: ['create'] },
    { method: 'POST', path: `${list}/query`, handler: 'query', ...query },
    { method: 'POST', path: `${list}/summary`, handler: 'summary', ...query },
    { method: 'POST', path: `${list}/upsert`, handler: 'upsert', ...write, abilities: ['create', 'update'] },
    { method: 'POST', path: `${list}/batch`, handler: 'batch', ...batch },
    { method: 'GET', path: `${list}/changes`, handler: 'changes', ...read, follows: 'wait' },
    { method: 'GET', path: `${list}/changes/stream`, handler: 'changes-stream', ...read, follows: 'stream' },
    { method: 'GET', path: `${list}/duplicates`, handler: 'duplicates', ...read },
    { method: 'GET', path: `${list}/export`, handler: 'export', ...read, follows: 'parts' },
    { method: 'GET', path: one, handler: 'read', ...read, lane: shortIf((query) => query === '') },
    ...updates({ path: one, handler: 'update', ...write, abilities: ['update'] }),
    { method: 'PUT', path: `${one}/merge`, handler: 'merge', ...write, abilities: ['update', 'delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore', ...write, abilities: ['update', 'delete'] },
    { method: 'GET', path: `${one}/history`, handler: 'history', ...read },
    { method: 'GET', path: `${one}/comments`, handler: 'comments', ...read },
    { method: 'POST', path: `${one}/comments`, handler: 'add-comment', ...write, abilities: ['create'] },
    { method: 'GET', path: `${one}/files`, handler: 'files', ...read },
    {
      method: 'POST',
      path: `${one}/files`,
      handler: 'add-file',
      ...write,
      abilities: ['create', 'update'],
      receives: 'file',
    },
    { method: 'GET', path: `${one}/follow`, handler: 'follow', ...read },
    { method: 'PUT', path: `${one}/follow`, handler: 'start-follow', ...own, abilities: ['update'] },
    { method: 'DELETE', path: `${one}/follow`, handler: 'end-follow', ...own, abilities: ['delete'] },
    { method: 'DELETE', path: one, handler: 'remove', ...write, abilities: ['delete'] },
  ]
}

const PER_PAGE_SHORT = 25
const PAGE_SHORT = 10

/** The only parameters of a short list. The order must be that of an index on the records. */
const SHORT = /^(?:per_page=(\d{1,3})|page=(\d{1,3})|cursor=[\w-]{1,400}|sort=-?(?:name|title|created_at|updated_at))$/

/**
 * Whether a list reads only a few rows, independent of the size of the workspace: unfiltered, near its start or after a
 * cursor, without includes. Running it takes less time than sending it to another thread and receiving the answer.
 */
export function isShortList(query: string): boolean {
  if (query === '') return true
  return query.split('&').every((part) => {
    const match = SHORT.exec(part)
    return match !== null && Number(match[1] ?? 0) <= PER_PAGE_SHORT && Number(match[2] ?? 0) <= PAGE_SHORT
  })
}

/** What the OpenAPI document says of each endpoint of a resource, by its handler. */
export function recordTexts(resource: Resource): Partial<Record<HandlerName, OperationText>> {
  const { type, one: word, label } = resource
  const a = anyOne(resource)
  const one = oneOf(resource)
  const many = manyOf(resource)
  const shown = shownParameters(resource)
  const pages = [`${one}Page`, `${one}CursorPage`]
  const examples = [`${one}Document`, `${one}Included`]
  const record = (says: string) => written(says, `${one}Document`, examples)
  const same = `The ${word}, as ${a} is shown everywhere.`
  return {
    list: {
      operationId: `list${many}`,
      summary: `List ${type}`,
      says: `The ${type} of the workspace, newest first unless \`sort\` says otherwise.`,
      parameters: [`${many}Filter`, `${many}Sort`, 'PerPage', 'Page', 'Cursor', ...shown, 'IfNoneMatch'],
      answers: { 200: listOf(`A page of ${type}.`, `${one}List`, pages) },
      refusals: SLOW,
    },
    query: {
      operationId: `query${many}`,
      summary: `Query ${type}`,
      says: 'The same records as the list, with its parameters in a JSON body, so that large filters fit. It counts as a read. For the next page send the same body again with the next `page`, or with `cursor` set to `meta.next_cursor`; the addresses in `links` cannot be fetched.',
      body: `${one}Query`,
      answers: { 200: success(`A page of ${type}.`, `${one}List`, pages) },
      refusals: SLOW,
    },
    summary: {
      operationId: `summarize${many}`,
      summary: `Summarize ${type}`,
      says: `Counts the ${type} that meet a filter, or sums up one of their fields, as a whole or in groups. It counts as a read. Records without a value, with a member who left or a deleted record are the group \`{id: null, label: "Empty"}\`. With one name in \`group_by\`, periods without records between the first and the last are included. A record with several values is in several groups. Sums and averages are exact; averages are rounded half up to two decimals more than the field has.`,
      body: `${one}SummaryQuery`,
      answers: { 200: success('The groups.', 'Summary') },
      refusals: SLOW,
    },
    create: {
      operationId: `create${one}`,
      summary: `Create ${a}`,
      says: `The \`${label}\` is required, and so are custom fields that the workspace has marked required.`,
      parameters: shown,
      body: `${one}Create`,
      answers: { 201: record('The new record.') },
    },
    upsert: {
      operationId: `upsert${one}`,
      summary: `Create or update ${a}`,
      says: `Looks for the ${word} that holds \`match.value\` in the unique custom field \`match.field\`, or as an external id (\`external_ids.<namespace>\`). One is found: it is updated (200). None: it is created, the value included (201). Several: nothing is written (409). Upserts of one value at the same time make one record.`,
      parameters: [...shown, 'OnlyUpdate', 'OnlyCreate'],
      body: `${one}Upsert`,
      answers: { 200: record('The record that held the value, updated.'), 201: record('The new record.') },
      refusals: { 409: 'AmbiguousOrKeyBusy' },
    },
    read: {
      operationId: `read${one}`,
      summary: `Read ${a}`,
      says: `One ${word} by its ID.`,
      parameters: [...shown, 'IfNoneMatch'],
      answers: { 200: tagged(same, `${one}Document`, examples) },
      refusals: SLOW,
    },
    update: {
      operationId: `update${one}`,
      summary: `Update ${a}`,
      says: "What is absent from the body is kept, `null` clears. PUT and PATCH are the same partial update. A record's own attributes can be sent back as they were read.",
      parameters: [...shown, 'IfMatch'],
      body: `${one}Update`,
      answers: { 200: record(same) },
    },
    remove: {
      operationId: `delete${one}`,
      summary: `Delete ${a}`,
      says: `The ${word} vanishes from every list, count, relation and filter. It can be restored for ${RESTORE_DAYS} days.`,
      parameters: ['IfMatch'],
      answers: { 204: noContent('It is deleted.') },
    },
    merge: {
      operationId: `merge${many}`,
      summary: `Merge ${type}`,
      says: `Makes 2 to ${MERGE_MAX} ${type} one. The ${word} in the path is the winner: it keeps its ID and its values. What it lacks is filled from the losers, oldest first, lists are joined, and links and references to the losers move to it. The losers are deleted: their IDs are 404 with \`merged_into\` from then on. Losers that are merged into the winner already are skipped, so the request can be repeated. It can be undone for ${RESTORE_DAYS} days.`,
      parameters: ['IfMatch'],
      body: `${one}Merge`,
      answers: { 200: written('The winner.', `${one}Merged`) },
    },
    restore: {
      operationId: `restore${one}`,
      summary: `Restore ${a}`,
      says: `Brings a deleted ${word} back, with its relations, for ${RESTORE_DAYS} days after the deletion. If it was merged into another one, the merge is undone. One that is not deleted stays as it is.`,
      parameters: ['IfMatch'],
      answers: { 200: written(`The ${word}.`, `${one}Document`) },
    },
    history: {
      operationId: `readHistoryOf${one}`,
      summary: `Read the history of ${a}`,
      says: `Who changed what of the ${word}, latest first, also before other records were merged into it. Kept for ${AUDIT_DAYS} days. Of a deleted ${word} only owners and admins can read it.`,
      parameters: ['HistoryField', 'Cursor', 'PerPage'],
      answers: { 200: success('A page of the history.', 'HistoryList') },
    },
    comments: {
      operationId: `listCommentsOf${one}`,
      summary: `List the comments on ${a}`,
      says: `The comments on the ${word} and the replies to them, oldest first.`,
      parameters: ['Cursor', 'PerPage'],
      answers: { 200: success('A page of comments.', 'CommentList') },
    },
    'add-comment': {
      operationId: `addCommentTo${one}`,
      summary: `Comment on ${a}`,
      says: `A comment is talk about the ${word}, whose \`updated_at\` does not change. With \`reply_to\` it replies to a comment; replies have no replies. Viewers do not comment.`,
      body: 'CommentCreate',
      answers: { 201: placed('The new comment.', 'CommentDocument') },
    },
    files: {
      operationId: `listFilesOf${one}`,
      summary: `List the files of ${a}`,
      says: `The files of the ${word}, newest first.`,
      parameters: ['PerPage', 'Page'],
      answers: { 200: success('A page of files.', 'FileList') },
    },
    'add-file': {
      operationId: `addFileTo${one}`,
      summary: `Add a file to ${a}`,
      says: `The bytes of the file as the body, with their \`Content-Type\`: at most ${FILE_MAX_MB} MB, unless the installation allows more or less. Equal files of a workspace are stored once. The ${word} can have ${FILES_PER_RECORD_MAX} files; its \`updated_at\` does not change.`,
      parameters: ['FileName'],
      body: 'FileContent',
      answers: { 201: placed('The new file.', 'FileDocument') },
    },
    follow: {
      operationId: `readFollowOf${one}`,
      summary: `Read whether you follow ${a}`,
      says: `Members follow the ${type} that they created, own, are assigned to or commented on, unless they have ended it.`,
      answers: { 200: success('Whether the user follows it.', 'Follow') },
    },
    'start-follow': {
      operationId: `follow${one}`,
      summary: `Follow ${a}`,
      says: 'The user is notified of its comments from now on. Every role can follow.',
      answers: { 200: written('The user follows it.', 'Follow') },
    },
    'end-follow': {
      operationId: `unfollow${one}`,
      summary: `Stop following ${a}`,
      says: 'It holds until the user is assigned to it again or comments on it. Every role can stop following.',
      answers: { 200: written('The user does not follow it.', 'Follow') },
    },
    duplicates: {
      operationId: `listDuplicatesOf${one}`,
      summary: `List duplicate ${type}`,
      says: 'What several records have in common. `certain`: a value of a unique field. `likely`: the same name, without letter case, accents, punctuation and legal forms (GmbH, Inc.), or the same e-mail address or host in a field that is not unique.',
      parameters: ['Certainty', 'PerPage', 'Page'],
      answers: { 200: success('A page of duplicates.', 'DuplicateList') },
      refusals: SLOW,
    },
    export: exportText(resource),
    ...batchTexts(resource),
    ...changeTexts(resource),
  }
}

/** Batches: of any resource, or of one. */
export function batchTexts(resource?: Resource) {
  return {
    batch: {
      operationId: resource ? `run${manyOf(resource)}Batch` : 'runBatch',
      summary: `Write many ${resource?.type ?? 'records'}`,
      says: `Carries out 1 to ${BATCH_MAX} operations in their order; later ones see what earlier ones did. Each operation is a write of its own, with the status, the paths and the messages of the single request, at most ${BATCH_CHUNK} in one transaction. With \`atomic\`, all are written or none: then everything that is wrong is 422, by path. With \`dry_run\`, everything is checked and nothing is written. A batch costs one write, and as many items as it has operations. Repeated with the same \`Idempotency-Key\` after a crash, it carries out the rest.`,
      body: resource ? 'ResourceBatch' : 'Batch',
      answers: {
        200: success('All operations succeeded.', 'BatchResults'),
        207: success('At least one operation failed.', 'BatchResults', ['BatchFailures']),
      },
    },
  } satisfies Record<string, OperationText>
}

const LOOP =
  'Begin with `cursor=start`: it returns everything as `snapshot` entries, and then, by the same `next_cursor`, all changes since. To apply an entry, store `record`, or remove what is gone. No entry is missed or repeated. A cursor whose changes are no longer there is 410, with the address at which to begin again.'

const STREAM =
  'Server-sent events, as they happen: `event: change` with an entry as `data` and its cursor as `id`, and `event: live` at the hand-off of an initial sync. A client that reconnects sends the last id as `Last-Event-ID`, which takes precedence over `cursor`. The stream ends after 30 minutes, when the token stops being valid, and when 1 MiB is unread.'

const events = {
  'text/event-stream': textBody(
    'retry: 3000\n\nid: WyIiLDQyXQ\nevent: change\ndata: {"id":"…","type":"changes","attributes":{}}\n\n',
  ),
}

const reading = ['FeedCursor', 'Since', 'Kind', 'ExcludeToken', 'Payload']

/** The changes feed and its stream: of the workspace, or of a resource. */
export function changeTexts(resource?: Resource) {
  const many = resource ? manyOf(resource) : ''
  const what = resource ? `the changes of ${resource.type}` : 'all changes'
  const narrowed = resource ? ['Changed', `${many}Filter`, `${many}Fields`] : ['FeedResources', 'FieldsByType']
  const says = resource
    ? `The changes of the ${resource.type}. With a filter, a record that no longer matches comes as \`left\`: if you hold it, drop it.`
    : 'Every change of a record, a definition or a member, in one order that is the same for all readers.'
  return {
    changes: {
      operationId: `listChangesOf${many}`,
      summary: `Follow ${what}`,
      says: `${says} ${LOOP}`,
      parameters: [...reading, 'Compact', 'FeedLimit', 'Wait', ...narrowed],
      answers: { 200: success('Entries, in their order.', 'ChangeList') },
      refusals: SLOW,
    },
    'changes-stream': {
      operationId: `streamChangesOf${many}`,
      summary: `Stream ${what}`,
      says: STREAM,
      parameters: [...reading, 'LastEventId', ...narrowed],
      answers: { 200: answerOf('Entries, as they happen.', events) },
      refusals: SLOW,
    },
  } satisfies Record<string, OperationText>
}

const lines = [
  '{"id":"01kb8w4d5e6f7g8h9j0k1m2n3p","type":"companies","attributes":{"name":"Acme","external_ids":{}}}',
  '{"type":"end","meta":{"count":1,"changes_cursor":"WyIiLDQyXQ"}}',
]

const rows = ['id,name', '01kb8w4d5e6f7g8h9j0k1m2n3p,Acme']

const files = {
  'application/x-ndjson': textBody(`${lines.join('\n')}\n`),
  'text/csv; charset=utf-8': textBody(`${rows.join('\r\n')}\r\n`),
}

function exportText(resource: Resource): OperationText {
  const many = manyOf(resource)
  return {
    operationId: `export${many}`,
    summary: `Export ${resource.type}`,
    says: `All ${resource.type} that meet the filter, by ID ascending, in one response of any length. The last line is \`{"type": "end", "meta": {"count", "changes_cursor"}}\`. A response without it was cut off: continue with \`after\`, and keep the \`X-Changes-Cursor\` of the first response. A record that existed throughout comes exactly once. In CSV, lists are joined by \`;\` (or are a JSON list if a value contains \`;\`), choices are shown by label, cells that a spreadsheet would execute begin with an apostrophe, and there is no end line. Two exports at once per token and four per workspace are allowed.`,
    parameters: [`${many}Filter`, `${many}Fields`, 'ExportFormat', 'After'],
    answers: { 200: answerOf('The records.', files, ['X-Changes-Cursor']) },
    refusals: SLOW,
  }
}
