import {
  BATCH_BODY_MAX_BYTES,
  BODY_MAX_BYTES,
  DELIVERY_DAYS,
  FAILED_DELIVERY_DAYS,
  IMPORT_COLUMNS_MAX,
  IMPORT_MAX_MB,
  IMPORT_RATIO_MAX,
  IMPORT_ROWS_MAX,
  JOB_DAYS,
  JOB_FILE_HOURS,
  QUERY_BODY_MAX_BYTES,
  RESTORE_DAYS,
  SEARCH_RESULTS_MAX,
  WEBHOOKS_MAX,
} from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Schema } from '@kith/contract/shape'
import type { HandlerName } from '../v1/handlers.ts'
import type { V1Route } from '../v1/routes.ts'
import { tagOf } from './info.ts'
import { batchOperations, changeOperations, recordOperations } from './record-operations.ts'
import {
  answerOf,
  listed,
  mapped,
  noContent,
  type OperationText,
  oneOf,
  placed,
  refTo,
  SLOW,
  success,
  tagged,
  textBody,
  written,
} from './schema.ts'
import { schemaOperations } from './schema-operations.ts'

const results = {
  'application/x-ndjson': textBody(
    '{"row":1,"outcome":"created","id":"01kb8w4d5e6f7g8h9j0k1m2n3p","message":null,"errors":null}\n',
  ),
  'text/csv': textBody('name,errors\r\n,The name field is required.\r\n'),
}

const jobOperations = {
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

const webhookOperations = {
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
const mergeOperations = {
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

/** The endpoints that do not belong to a resource. */
const otherOperations: Readonly<Partial<Record<HandlerName, OperationText>>> = {
  ...batchOperations(),
  ...mergeOperations,
  ...changeOperations(),
  ...jobOperations,
  ...schemaOperations,
  ...webhookOperations,
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

/** The operation of a route. */
export function operationOf(route: V1Route): Schema {
  const { operationId, summary, says, body, answers, ...described } = describedAt(route)
  const key = route.kind === 'write' ? ['IdempotencyKey'] : []
  const parameters = [...pathParameters(route), ...(described.parameters ?? []), ...key]
  const refusals: Record<string, string> = { ...refusalsOf(route, parameters), ...described.refusals }
  return {
    operationId,
    summary,
    description: `${says} ${needOf(route)}`,
    tags: [tagOf(route)],
    ...(parameters.length > 0 ? { parameters: parameters.map((name) => refTo('parameters', name)) } : {}),
    ...(body === undefined ? {} : { requestBody: refTo('requestBodies', body) }),
    responses: {
      ...answers,
      ...mapped(Object.keys(refusals), (status) => refTo('responses', refusals[status] ?? '')),
    },
  }
}

/** PUT and PATCH of an endpoint are the same operation, but each needs its own id. */
function describedAt({ handler, method, path, resource }: V1Route): OperationText {
  const described = (resource ? recordOperations(registry[resource]) : otherOperations)[handler]
  if (!described) throw new Error(`The document does not describe ${path}.`)
  if (method !== 'PATCH') return described
  const { operationId, summary } = described
  return { ...described, operationId: operationId.replace('update', 'patch'), summary: `${summary} (PATCH)` }
}

/** The parameters in a path, by the words before them. */
function pathParameters({ path }: V1Route): string[] {
  return [...path.matchAll(/(\w+)\/:/g)].map(([, word = '']) => IN_PATH[word] ?? 'Id')
}

const IN_PATH: Readonly<Record<string, string>> = {
  merges: 'MergeId',
  jobs: 'JobId',
  schema: 'SchemaResource',
  fields: 'FieldCode',
  options: 'OptionId',
  webhooks: 'WebhookId',
  deliveries: 'DeliveryId',
}

/** The refusals that all endpoints have, and those that the route and its parameters imply. */
function refusalsOf(route: V1Route, parameters: readonly string[]): Record<string, string> {
  const { method, resource, bodyMax, receives } = route
  const tooLarge = receives === 'file' ? 'FileTooLarge' : TOO_LARGE.get(bodyMax)
  return {
    ...EVERYWHERE,
    // A delete takes no body, but a body that is sent is read and can be too large.
    ...(method === 'GET' ? {} : { 413: tooLarge ?? 'TooLarge' }),
    ...(resource && parameters.includes('Id') ? { 404: `${oneOf(resource)}NotFound` } : {}),
    ...Object.assign({}, ...parameters.map((name) => IMPLIED[name])),
  }
}

const EVERYWHERE = {
  401: 'Unauthenticated',
  402: 'Paused',
  403: 'Forbidden',
  422: 'Invalid',
  429: 'RateLimited',
  500: 'ServerError',
  503: 'Unavailable',
}

const TOO_LARGE: ReadonlyMap<number, string> = new Map([
  [BODY_MAX_BYTES, 'TooLarge'],
  [QUERY_BODY_MAX_BYTES, 'QueryTooLarge'],
  [BATCH_BODY_MAX_BYTES, 'BatchTooLarge'],
])

/** How requests with a parameter can be refused. */
const IMPLIED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  IfNoneMatch: { 304: 'NotModified' },
  SchemaIfNoneMatch: { 304: 'NotModified' },
  MergeId: { 404: 'MergeNotFound' },
  JobId: { 404: 'JobNotFound' },
  FieldCode: { 404: 'FieldNotFound' },
  WebhookId: { 404: 'WebhookNotFound' },
  DeliveryId: { 404: 'DeliveryNotFound' },
  FeedCursor: { 410: 'Gone' },
  IfMatch: { 412: 'PreconditionFailed' },
  OnlyUpdate: { 412: 'PreconditionFailed' },
  FieldIfMatch: { 412: 'FieldChanged' },
  IdempotencyKey: { 409: 'KeyBusy', 503: 'UnavailableOrUnknown' },
}

function needOf({ abilities, permissions = [] }: V1Route): string {
  if (abilities.length === 0) return 'Needs the abilities of its operations.'
  const roles = permissions.includes('manage_fields') ? ' Only owners and admins can do this.' : ''
  const named = listed(abilities).replace(', ', ' and ')
  return `Needs the ${named} ${abilities.length > 1 ? 'abilities' : 'ability'}.${roles}`
}
