import {
  BATCH_CHUNK,
  DELIVERY_DAYS,
  FAILED_DELIVERY_DAYS,
  IMPORT_COLUMNS_MAX,
  IMPORT_MAX_MB,
  IMPORT_RATIO_MAX,
  IMPORT_ROWS_MAX,
  JOB_DAYS,
  JOB_FILE_HOURS,
  RESTORE_DAYS,
  SEARCH_RESULTS_MAX,
  UNDO_MAX,
  WEBHOOKS_MAX,
} from '@kith/contract/limits'
import { generalSchema } from '@kith/contract/registry'
import type { Schema } from '@kith/contract/resource'
import {
  answerOf,
  noContent,
  type OperationText,
  placed,
  SLOW,
  success,
  tagged,
  textBody,
  written,
} from '../openapi/schema.ts'
import { commentRoutes, commentTexts } from './comment-routes.ts'
import { fileRoutes, fileTexts } from './file-routes.ts'
import type { HandlerName } from './handlers.ts'
import { notificationRoutes, notificationTexts } from './notification-routes.ts'
import {
  always,
  batch,
  batchTexts,
  changeTexts,
  type Method,
  read,
  recordRoutes,
  recordTexts,
  undo,
  updates,
  type V1Route,
  write,
} from './record-routes.ts'
import { schemaRoutes, schemaTexts } from './schema-routes.ts'

/** Every endpoint of the REST API, but those of the resources that a workspace makes. */
export const v1Routes: readonly V1Route[] = [...[...generalSchema.keys()].flatMap(recordRoutes), ...otherRoutes()]

function otherRoutes(): V1Route[] {
  return [
    { method: 'POST', path: '/batch', handler: 'batch', ...batch },
    { method: 'GET', path: '/changes', handler: 'changes', ...read, follows: 'wait' },
    { method: 'GET', path: '/changes/stream', handler: 'changes-stream', ...read, follows: 'stream' },
    { method: 'POST', path: '/changes/undo', handler: 'undo-changes', ...write, abilities: ['create'] },
    { method: 'GET', path: '/changes/:id', handler: 'change', ...read },
    { method: 'PUT', path: '/changes/:id/undo', handler: 'undo-change', ...undo },
    { method: 'GET', path: '/search', handler: 'search', ...read },
    { method: 'GET', path: '/trash', handler: 'trash', ...read, abilities: ['read', 'delete'] },
    { method: 'GET', path: '/merges', handler: 'merges', ...read },
    { method: 'PUT', path: '/merges/:id/undo', handler: 'undo-merge', ...write, abilities: ['update', 'delete'] },
    ...commentRoutes(),
    ...fileRoutes(),
    ...jobRoutes(),
    ...notificationRoutes(),
    ...schemaRoutes(),
    ...webhookRoutes(),
    { method: 'GET', path: '/custom-fields', handler: 'custom-fields', ...read, tagged: true },
    { method: 'GET', path: '/user', handler: 'user', ...read, lane: always('short') },
    { method: 'GET', path: '/users', handler: 'users', ...read, tagged: true },
    { method: 'GET', path: '/token', handler: 'token', ...read, lane: always('short') },
  ]
}

function jobRoutes(): V1Route[] {
  const one = '/jobs/:id'
  const writing = { ...write, abilities: ['create', 'update'] } as const
  return [
    { method: 'GET', path: '/jobs', handler: 'jobs', ...read, holds: true },
    { method: 'POST', path: '/jobs', handler: 'create-job', ...writing },
    { method: 'GET', path: one, handler: 'job', ...read, lane: always('short'), holds: true },
    { method: 'PUT', path: `${one}/file`, handler: 'job-file', ...writing, receives: 'import' },
    { method: 'GET', path: `${one}/results`, handler: 'job-results', ...read, follows: 'parts' },
    { method: 'PUT', path: `${one}/run`, handler: 'run-job', ...writing },
    { method: 'PUT', path: `${one}/cancel`, handler: 'cancel-job', ...writing, abilities: ['update'] },
    { method: 'PUT', path: `${one}/undo`, handler: 'undo-job', ...writing, abilities: ['update', 'delete'] },
  ]
}

const results = {
  'application/x-ndjson': textBody(
    '{"row":1,"outcome":"created","id":"01kb8w4d5e6f7g8h9j0k1m2n3p","message":null,"errors":null}\n',
  ),
  'text/csv': textBody('name,errors\r\n,The name field is required.\r\n'),
}

const jobTexts = {
  jobs: {
    operationId: 'listJobs',
    summary: 'List jobs',
    says: `The jobs of the token's user, latest first; owners and admins see all. Jobs are kept for ${JOB_DAYS} days.`,
    parameters: ['PerPage', 'Page', 'JobWait'],
    answers: { 200: success('A page of jobs.', 'JobList') },
  },
  'create-job': {
    operationId: 'createJob',
    summary: 'Create an import',
    says: `The import waits for its file, which is sent with \`PUT /v1/jobs/{id}/file\` within an hour. A workspace can have five jobs that are waiting, queued or running.`,
    body: 'ImportCreate',
    answers: { 201: placed('The new job.', 'JobDocument') },
  },
  job: {
    operationId: 'readJob',
    summary: 'Read a job',
    says: 'The state and the progress of a job.',
    parameters: ['JobWait'],
    answers: { 200: success('The job.', 'JobDocument') },
  },
  'job-file': {
    operationId: 'sendJobFile',
    summary: 'Send the file of an import',
    says: `The file as the body, also in gzip: at most ${IMPORT_MAX_MB} MB unpacked (unless the installation allows more) and ${IMPORT_RATIO_MAX} times its packed size, ${IMPORT_ROWS_MAX} rows and ${IMPORT_COLUMNS_MAX} columns. CSV has a header, and may be UTF-8, UTF-16 or Windows-1252. The lines of NDJSON are bodies of a create, with an \`id\` for \`match: "id"\`, or records as an export shows them. A file that cannot be read is refused, and the job goes on waiting.`,
    body: 'ImportFile',
    answers: { 202: written('The job, queued.', 'JobDocument') },
  },
  'job-results': {
    operationId: 'readJobResults',
    summary: 'Read the results of a job',
    says: 'One line for each row that is done: `row` (1 is the first after the header), `outcome`, `id`, `message`, `errors`.',
    parameters: ['ResultOutcome', 'ResultFormat'],
    answers: { 200: answerOf('The results.', results) },
  },
  'run-job': {
    operationId: 'runJob',
    summary: 'Run a dry run for real',
    says: `Runs a dry run that is done for real, as a new job with the same file, which is kept for ${JOB_FILE_HOURS} hours.`,
    answers: { 201: placed('The new job.', 'JobDocument') },
  },
  'cancel-job': {
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    says: 'Stops the job after the rows in progress. What was done stays, and can be undone. A job that is cancelled already stays as it is.',
    answers: { 200: written('The job.', 'JobDocument') },
  },
  'undo-job': {
    operationId: 'undoJob',
    summary: 'Undo an import',
    says: `Deletes what the import created and reverts what it changed, as a new job, for ${JOB_DAYS} days. What was changed since then stays and is reported as failed. If the import has an undo already, that job is returned.`,
    answers: { 200: written('The undo that there is.', 'JobDocument'), 201: placed('The new job.', 'JobDocument') },
  },
} satisfies Record<string, OperationText>

function webhookRoutes(): V1Route[] {
  const one = '/webhooks/:id'
  return [
    { method: 'GET', path: '/webhooks', handler: 'webhooks', ...read },
    { method: 'POST', path: '/webhooks', handler: 'create-webhook', ...write, abilities: ['create', 'read'] },
    { method: 'GET', path: one, handler: 'webhook', ...read, lane: always('short') },
    ...updates({ path: one, handler: 'update-webhook', ...write, abilities: ['update'] }),
    { method: 'DELETE', path: one, handler: 'delete-webhook', ...write, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/rotate`, handler: 'rotate-webhook', ...write, abilities: ['update'] },
    { method: 'POST', path: `${one}/test`, handler: 'test-webhook', ...write, abilities: ['create'] },
    { method: 'POST', path: `${one}/replay`, handler: 'replay-webhook', ...write, abilities: ['create'] },
    { method: 'GET', path: `${one}/deliveries`, handler: 'deliveries', ...read },
    { method: 'GET', path: `${one}/deliveries/:delivery_id`, handler: 'delivery', ...read },
  ]
}

const webhookTexts = {
  webhooks: {
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    says: "The webhooks of the token's user, latest first; owners and admins see all. Secrets are not shown.",
    parameters: ['PerPage', 'Page'],
    answers: { 200: success('A page of webhooks.', 'WebhookList') },
  },
  'create-webhook': {
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    says: `Changes are sent to \`url\`, signed as Standard Webhooks describes, at least once, and in order for each record. A workspace can have ${WEBHOOKS_MAX}.`,
    body: 'WebhookCreate',
    answers: { 201: placed('The new webhook, with its secret.', 'WebhookSecretDocument') },
  },
  webhook: {
    operationId: 'readWebhook',
    summary: 'Read a webhook',
    says: 'Its settings, its state, and how far it is behind.',
    answers: { 200: success('The webhook.', 'WebhookDocument') },
  },
  'update-webhook': {
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    says: 'What is absent from the body is kept. PUT and PATCH are the same partial update.',
    body: 'WebhookUpdate',
    answers: { 200: written('The webhook.', 'WebhookDocument') },
  },
  'delete-webhook': {
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    says: 'Deliveries stop.',
    answers: { 204: noContent('It is deleted.') },
  },
  'rotate-webhook': {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    says: 'A new secret, which is shown this once. For `keep_hours` deliveries carry the signatures of both secrets.',
    body: 'WebhookRotate',
    answers: { 200: written('The webhook, with its new secret.', 'WebhookSecretDocument') },
  },
  'test-webhook': {
    operationId: 'testWebhook',
    summary: 'Send a test event',
    says: 'Sends `webhook.test` now, once, and returns its delivery, whatever the receiver returned. It does not move the position.',
    answers: { 200: written('The delivery.', 'DeliveryDocument') },
  },
  'replay-webhook': {
    operationId: 'replayWebhook',
    summary: 'Replay events',
    says: 'Sends events again, next to the ordinary ones, with `kith-replay: true`. Replays of one record keep their order, and the position does not move.',
    body: 'WebhookReplay',
    answers: { 202: written('How many events are sent again.', 'ReplayDocument') },
  },
  deliveries: {
    operationId: 'listDeliveries',
    summary: 'List deliveries',
    says: `The log of a webhook, latest first. It is kept for ${DELIVERY_DAYS} days, and for ${FAILED_DELIVERY_DAYS} days what was given up.`,
    parameters: ['DeliveryState', 'DeliveryRecord', 'PerPage', 'Page'],
    answers: { 200: success('A page of deliveries.', 'DeliveryList') },
  },
  delivery: {
    operationId: 'readDelivery',
    summary: 'Read a delivery',
    says: 'One delivery with its attempts.',
    answers: { 200: success('The delivery.', 'DeliveryDocument') },
  },
} satisfies Record<string, OperationText>

/** Search, and the lists of merges and of the trash. */
const mergeTexts = {
  search: {
    operationId: 'search',
    summary: 'Search',
    says: `The records that have all words of \`q\`, in any order: in their name or title, email addresses, domains, links, phone numbers, tags and texts; and the record whose external id is \`q\`. Letter case, accents and punctuation do not matter. A part of a word is enough; one or two letters must begin a word. The best matches first: the name itself, names that begin with the words, names that have them, then others; of equal ones the newest. At most ${SEARCH_RESULTS_MAX}. The filter \`$search\` of lists finds all matches.`,
    parameters: ['SearchQuery', 'InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of results.', 'SearchResultList') },
    refusals: SLOW,
  },
  trash: {
    operationId: 'listTrash',
    summary: 'List the trash',
    says: `The deleted records that can still be restored, latest first. They are kept for ${RESTORE_DAYS} days.`,
    parameters: ['InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of deleted records.', 'TrashedList') },
  },
  merges: {
    operationId: 'listMerges',
    summary: 'List merges',
    says: 'All merges of the workspace, latest first, also those that were undone.',
    parameters: ['InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of merges.', 'MergeList') },
  },
  'undo-merge': {
    operationId: 'undoMerge',
    summary: 'Undo a merge',
    says: `Restores the losers with everything that referred to them, and the winner as it was. What was changed since stays. Possible for ${RESTORE_DAYS} days, and while the winner is live. A merge that was undone already stays as it is.`,
    answers: { 200: written('The winner.', 'AnyDocument', ['CompanyDocument']) },
  },
} satisfies Record<string, OperationText>

const undoTexts = {
  change: {
    operationId: 'readChange',
    summary: 'Read a change',
    says: `One change of a record, a definition or a member, with its values before and after. The history shows 1,000 characters of a text; here it is in full, for ${RESTORE_DAYS} days. Changes of a deleted record are for owners and admins.`,
    answers: { 200: success('The change.', 'LoggedChangeDocument') },
  },
  'undo-change': {
    operationId: 'undoChange',
    summary: 'Undo a change',
    says: `For ${RESTORE_DAYS} days. What was created or restored is deleted, what was deleted is restored, what was updated gets its values from before, and a merge is undone as a whole. An update is undone if each of its values still is what it made them; otherwise it is refused, and nothing is done. The undo is a change like any other, and can be undone itself. A change that is undone already stays as it is. Needs the \`update\` ability, and \`delete\` unless the change is an update.`,
    parameters: ['IfMatch'],
    body: 'ChangeUndo',
    answers: {
      200: written('The record; of a merge, its winner.', 'AnyDocument', ['CompanyDocument'], ['X-Change-Id']),
      204: noContent('The record is gone.', ['X-Change-Id']),
    },
    needs: '',
  },
  'undo-changes': {
    operationId: 'undoChanges',
    summary: 'Undo changes',
    says: `Undoes up to ${UNDO_MAX} changes, the latest first: those with these \`ids\`, or those of the requesting token in a period. Those that undo others, that are undone already, and that other changes caused are left out of a period. Each is an undo of its own, at most ${BATCH_CHUNK} in one transaction. It costs one write, and as many items as it has changes. Repeated with the same \`Idempotency-Key\` after a crash, it carries out the rest. Needs the \`create\` ability, and those of the changes.`,
    body: 'ChangesUndo',
    answers: {
      200: success('All changes are undone.', 'UndoResults'),
      207: success('At least one change cannot be undone.', 'UndoResults', ['UndoFailures']),
    },
    needs: '',
  },
} satisfies Record<string, OperationText>

/** What the OpenAPI document says of each endpoint that does not belong to a resource, by its handler. */
const texts: Readonly<Partial<Record<HandlerName, OperationText>>> = {
  ...batchTexts(),
  ...mergeTexts,
  ...changeTexts(),
  ...undoTexts,
  ...commentTexts,
  ...fileTexts,
  ...jobTexts,
  ...notificationTexts,
  ...schemaTexts,
  ...webhookTexts,
  'custom-fields': {
    operationId: 'listCustomFields',
    summary: 'List custom fields',
    says: 'The active custom fields of the workspace, in order of resource, then position: which codes `custom_fields` has, of which types they are and which options they offer. Fields are defined in the application and with the schema endpoints.',
    parameters: ['EntityType', 'PerPage', 'Page', 'IfNoneMatch'],
    answers: { 200: tagged('The definitions.', 'CustomFieldList') },
  },
  user: {
    operationId: 'readUser',
    summary: 'Read the user',
    says: 'The user to whom the access token belongs: a cheap way to try a token.',
    answers: { 200: success("The token's user.", 'UserDocument') },
  },
  users: {
    operationId: 'listUsers',
    summary: 'List the members',
    says: 'The members of the workspace, by ID. Their IDs are what `account_owner_id` and `assignee_ids` take.',
    parameters: ['PerPage', 'Page', 'IfNoneMatch'],
    answers: { 200: tagged('A page of members.', 'UserList') },
  },
  token: {
    operationId: 'readToken',
    summary: 'Read the token',
    says: 'The access token of the request: its name, what it may do, when it expires, and the limits that apply to it. For a connected program it is the connection.',
    answers: { 200: success('The token.', 'TokenDocument') },
  },
}

export function methodsByPath(routes: readonly { path: string; method: Method }[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}

export type DescribedRoute = { route: V1Route; text: OperationText }

/** The endpoints of each of these resources and all others, and what the OpenAPI document says of each endpoint. */
export function describedRoutes(resources: Schema): DescribedRoute[][] {
  const ofRecords = [...resources.values()].map((resource) => {
    return described(recordRoutes(resource.type), recordTexts(resource))
  })
  return [...ofRecords, described(otherRoutes(), texts)]
}

function described(routes: readonly V1Route[], from: typeof texts): DescribedRoute[] {
  return routes.map((route) => ({ route, text: textOf(route, from) }))
}

/** PUT and PATCH are the same operation, but each needs its own id. */
function textOf({ handler, method, path }: V1Route, from: typeof texts): OperationText {
  const text = from[handler]
  if (!text) throw new Error(`The route ${path} has no text.`)
  if (method !== 'PATCH') return text
  const { operationId, summary } = text
  return { ...text, operationId: operationId.replace('update', 'patch'), summary: `${summary} (PATCH)` }
}
