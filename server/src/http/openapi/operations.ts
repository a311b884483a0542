import { BATCH_BODY_MAX_BYTES, BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { HandlerName } from '../v1/handlers.ts'
import type { V1Route } from '../v1/routes.ts'
import { type Described, success, tagged } from './answers.ts'
import { batchOperations } from './batch-operations.ts'
import { changeOperations } from './change-operations.ts'
import { tagOf } from './info.ts'
import { jobOperations } from './job-operations.ts'
import { mergeOperations } from './merge-operations.ts'
import { listed, oneOf } from './names.ts'
import { recordOperations } from './record-operations.ts'
import { mapped, refTo, type Schema } from './schema.ts'
import { schemaOperations } from './schema-operations.ts'
import { webhookOperations } from './webhook-operations.ts'

/** The endpoints that do not belong to a resource. */
const otherOperations: Readonly<Partial<Record<HandlerName, Described>>> = {
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

/** PUT and PATCH of one endpoint are the same, but each has an id of its own. */
function describedAt({ handler, method, path, resource }: V1Route): Described {
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
    // A delete takes no body, but one that is sent is read and can be too large.
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
