import { RESTORE_DAYS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { HandlerName } from '../v1/handlers.ts'
import type { V1Route } from '../v1/routes.ts'
import { listOf, noContent, success, tagged, written } from './answers.ts'
import { batchOperationOf, batchOperations } from './batch-operations.ts'
import { changeOperationOf, changeOperations, streamOperationOf } from './change-operations.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { exportOperationOf } from './export-operations.ts'
import { jobOperations } from './job-operations.ts'
import { mergeOperationOf, mergeOperations } from './merge-operations.ts'
import { anyOne, listed, manyOf, oneOf } from './names.ts'
import { shownParameters } from './parameters.ts'
import { ref, refTo, type Schema } from './schema.ts'
import { schemaOperations } from './schema-operations.ts'
import { webhookOperations } from './webhook-operations.ts'

const NOT_MODIFIED = { 304: 'NotModified' }

/** The endpoints that do not belong to a resource, in the order of their tags. */
export const otherOperations: Readonly<Partial<Record<HandlerName, Described>>> = {
  ...batchOperations,
  ...mergeOperations,
  ...changeOperations,
  ...jobOperations,
  ...schemaOperations,
  ...webhookOperations,
  'custom-fields': {
    operationId: 'listCustomFields',
    summary: 'List custom fields',
    says: 'The active custom fields of the workspace, in order of resource, then position: which codes `custom_fields` has, of which types they are and which options they offer. Fields are defined in the application and with the schema endpoints.',
    tag: { name: 'Custom fields', description: 'The fields that the workspace has defined. Read only.' },
    parameters: ['EntityType', 'PerPage', 'Page', 'IfNoneMatch'],
    refusals: NOT_MODIFIED,
    answers: { 200: tagged('The definitions.', ref('CustomFieldList'), examplesNamed('CustomFieldList')) },
  },
  user: {
    operationId: 'readUser',
    summary: 'Read the user',
    says: 'The user to whom the access token belongs: a cheap way to try a token.',
    tag: { name: 'User', description: 'Who the access token belongs to.' },
    answers: { 200: success("The token's user.", ref('UserDocument'), examplesNamed('UserDocument')) },
  },
  users: {
    operationId: 'listUsers',
    summary: 'List the members',
    says: 'The members of the workspace, by ID. Their IDs are what `account_owner_id` and `assignee_ids` take.',
    tag: { name: 'Users', description: 'The members of the workspace.' },
    parameters: ['PerPage', 'Page', 'IfNoneMatch'],
    refusals: NOT_MODIFIED,
    answers: { 200: tagged('A page of members.', ref('UserList'), examplesNamed('UserList')) },
  },
  token: {
    operationId: 'readToken',
    summary: 'Read the token',
    says: 'The access token of the request: its name, what it may do, when it expires, and the limits that apply to it. For a connected program it is the connection.',
    tag: { name: 'Token', description: 'The access token itself.' },
    answers: { 200: success('The token.', ref('TokenDocument'), examplesNamed('TokenDocument')) },
  },
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
const SLOW = { 503: 'UnavailableOrSlow' }
/** Every write. A delete takes no body, but one that is sent is read and can be too large. */
const KEYED = { 409: 'KeyBusy', 413: 'TooLarge', 503: 'UnavailableOrUnknown' }

/** The operation of a route. */
export function operationOf(route: V1Route): Schema {
  const described = route.resource ? ofRecords(route, registry[route.resource]) : ofOthers(route)
  if (!described) throw new Error(`The document does not describe ${route.path}.`)
  const { operationId, summary, says, tag, parameters = [], body, answers, refusals } = described
  const refused = Object.entries({ ...EVERYWHERE, ...refusals })
  return {
    operationId,
    summary,
    description: `${says} ${needOf(route)}`,
    tags: [tag.name],
    ...(parameters.length > 0 ? { parameters: parameters.map((name) => refTo('parameters', name)) } : {}),
    ...(body === undefined ? {} : { requestBody: refTo('requestBodies', body) }),
    responses: {
      ...answers,
      ...Object.fromEntries(refused.map(([status, name]) => [status, refTo('responses', name)])),
    },
  }
}

/** PUT and PATCH of one endpoint are the same, but each has an id of its own. */
function ofOthers({ handler, method }: V1Route): Described | undefined {
  const described = otherOperations[handler]
  if (!described || method !== 'PATCH') return described
  const { operationId, summary } = described
  return { ...described, operationId: operationId.replace('update', 'patch'), summary: `${summary} (PATCH)` }
}

function needOf({ abilities, permissions = [] }: V1Route): string {
  if (abilities.length === 0) return 'Needs the abilities of its operations.'
  const roles = permissions.includes('manage_fields') ? ' Only owners and admins can do this.' : ''
  const named = listed(abilities).replace(', ', ' and ')
  return `Needs the ${named} ${abilities.length > 1 ? 'abilities' : 'ability'}.${roles}`
}

function ofRecords({ handler, method }: V1Route, resource: Resource): Described {
  const { type, one: word, about: description } = resource
  const a = anyOne(resource)
  const one = oneOf(type)
  const many = manyOf(resource)
  const tag = { name: many, description }
  const shown = shownParameters(resource)
  const missing = { 404: `${one}NotFound` }
  const pages = examplesNamed(`${one}Page`, `${one}Walk`)
  const list = { 200: listOf(`A page of ${type}.`, ref(`${one}List`), pages) }
  const examples = examplesNamed(`${one}Document`, `${one}Included`)
  const record = (says: string) => written(says, ref(`${one}Document`), examples)
  const same = `The ${word}, as ${a} is shown everywhere.`
  switch (handler) {
    case 'list':
      return {
        operationId: `list${many}`,
        summary: `List ${type}`,
        says: `The ${type} of the workspace, newest first unless \`sort\` says otherwise.`,
        tag,
        parameters: [`${many}Filter`, `${many}Sort`, 'PerPage', 'Page', 'Cursor', ...shown, 'IfNoneMatch'],
        answers: list,
        refusals: { ...NOT_MODIFIED, ...SLOW },
      }
    case 'query':
      return {
        operationId: `query${many}`,
        summary: `Query ${type}`,
        says: 'The same records as the list, with its parameters in a JSON body, so that large filters fit. It counts as a read. For the next page send the same body again with the next `page`, or with `cursor` set to `meta.next_cursor`; the addresses in `links` cannot be fetched.',
        tag,
        body: `${one}Query`,
        answers: { 200: success(`A page of ${type}.`, ref(`${one}List`), pages) },
        refusals: { 413: 'QueryTooLarge', ...SLOW },
      }
    case 'create':
      return {
        operationId: `create${one}`,
        summary: `Create ${a}`,
        says: `The \`${resource.label}\` is required, and so are custom fields that the workspace has marked required.`,
        tag,
        parameters: [...shown, 'IdempotencyKey'],
        body: `${one}Create`,
        answers: { 201: record('The new record.') },
        refusals: KEYED,
      }
    case 'upsert':
      return {
        operationId: `upsert${one}`,
        summary: `Create or update ${a}`,
        says: `Looks for the ${word} that holds \`match.value\` in the unique custom field \`match.field\`, or as an external id (\`external_ids.<namespace>\`). One is found: it is updated (200). None: it is created, the value included (201). Several: nothing is written (409). Upserts of one value at the same time make one record.`,
        tag,
        parameters: [...shown, 'OnlyUpdate', 'OnlyCreate', 'IdempotencyKey'],
        body: `${one}Upsert`,
        answers: { 200: record('The record that held the value, updated.'), 201: record('The new record.') },
        refusals: { ...KEYED, 409: 'AmbiguousOrKeyBusy', 412: 'PreconditionFailed' },
      }
    case 'read':
      return {
        operationId: `read${one}`,
        summary: `Read ${a}`,
        says: `One ${word} by its ID.`,
        tag,
        parameters: ['Id', ...shown, 'IfNoneMatch'],
        answers: { 200: tagged(same, ref(`${one}Document`), examples) },
        refusals: { ...NOT_MODIFIED, ...missing, ...SLOW },
      }
    case 'update':
      return {
        operationId: `${method === 'PUT' ? 'update' : 'patch'}${one}`,
        summary: method === 'PUT' ? `Update ${a}` : `Update ${a} (PATCH)`,
        says: "What is absent from the body is kept, `null` clears. PUT and PATCH are the same partial update. A record's own attributes can be sent back as they were read.",
        tag,
        parameters: ['Id', ...shown, 'IfMatch', 'IdempotencyKey'],
        body: `${one}Update`,
        answers: { 200: record(same) },
        refusals: { ...missing, ...KEYED, 412: 'PreconditionFailed' },
      }
    case 'batch':
      return batchOperationOf(resource)
    case 'changes':
      return changeOperationOf(resource)
    case 'changes-stream':
      return streamOperationOf(resource)
    case 'export':
      return exportOperationOf(resource)
    case 'merge':
    case 'restore':
    case 'history':
    case 'duplicates':
      return mergeOperationOf(handler, resource)
    default:
      return {
        operationId: `delete${one}`,
        summary: `Delete ${a}`,
        says: `The ${word} vanishes from every list, count, relation and filter. It can be restored for ${RESTORE_DAYS} days.`,
        tag,
        parameters: ['Id', 'IfMatch', 'IdempotencyKey'],
        answers: { 204: noContent('It is deleted.') },
        refusals: { ...missing, ...KEYED, 412: 'PreconditionFailed' },
      }
  }
}
