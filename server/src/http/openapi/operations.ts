import { BATCH_BODY_MAX_BYTES, BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { type Schema as Resources, resourceIn } from '@kith/contract/resource'
import type { Schema } from '@kith/contract/shape'
import type { V1Route } from '../v1/record-routes.ts'
import { tagOf } from './info.ts'
import { listed, mapped, type OperationText, oneOf, refTo } from './schema.ts'

/** The operation of a route. */
export function operationOf(route: V1Route, text: OperationText, resources: Resources): Schema {
  const { operationId, summary, says, body, answers, needs = ` ${needOf(route)}`, ...more } = text
  const key = route.kind === 'write' ? ['IdempotencyKey'] : []
  const parameters = [...pathParameters(route), ...(more.parameters ?? []), ...key]
  const refusals: Record<string, string> = { ...refusalsOf(route, parameters, resources), ...more.refusals }
  return {
    operationId,
    summary,
    description: says + needs,
    tags: [tagOf(route)],
    ...(parameters.length > 0 ? { parameters: parameters.map((name) => refTo('parameters', name)) } : {}),
    ...(body === undefined ? {} : { requestBody: refTo('requestBodies', body) }),
    responses: {
      ...answers,
      ...mapped(Object.keys(refusals), (status) => refTo('responses', refusals[status] ?? '')),
    },
  }
}

/** The parameters in a path, by the words before them. A resource can be called like one of them. */
function pathParameters({ path, resource }: V1Route): string[] {
  if (resource) return path.includes('/:id') ? ['Id'] : []
  return [...path.matchAll(/(\w+)\/:/g)].map(([, word = '']) => IN_PATH[word] ?? 'Id')
}

const IN_PATH: Readonly<Record<string, string>> = {
  merges: 'MergeId',
  changes: 'ChangeId',
  comments: 'CommentId',
  files: 'FileId',
  jobs: 'JobId',
  notifications: 'NotificationId',
  schema: 'SchemaResource',
  fields: 'FieldCode',
  options: 'OptionId',
  webhooks: 'WebhookId',
  deliveries: 'DeliveryId',
}

/** The refusals that all endpoints have, and those that the route and its parameters imply. */
function refusalsOf(route: V1Route, parameters: readonly string[], resources: Resources): Record<string, string> {
  const { method, resource, bodyMax, receives } = route
  const tooLarge = receives ? TOO_LARGE_FILE[receives] : TOO_LARGE.get(bodyMax)
  return {
    ...EVERYWHERE,
    // A delete takes no body, but a body that is sent is read and can be too large.
    ...(method === 'GET' ? {} : { 413: tooLarge ?? 'TooLarge' }),
    ...(resource && parameters.includes('Id') ? { 404: `${oneOf(resourceIn(resources, resource))}NotFound` } : {}),
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

const TOO_LARGE_FILE = { import: 'ImportTooLarge', file: 'FileTooLarge' } as const

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
  ChangeId: { 404: 'ChangeNotFound' },
  CommentId: { 404: 'CommentNotFound' },
  FileId: { 404: 'FileNotFound' },
  SchemaResource: { 404: 'ResourceNotFound' },
  JobId: { 404: 'JobNotFound' },
  NotificationId: { 404: 'NotificationNotFound' },
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
