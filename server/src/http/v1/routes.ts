import type { Ability } from '@kith/contract/abilities'
import { BATCH_BODY_MAX_BYTES, BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Lane } from '../../calls/call.ts'
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
  /** The rate limit that the request counts towards. */
  kind: 'read' | 'write'
  /** The lane of the call, depending on its query string. */
  lane: (query: string) => Lane
  /** Whether a replica may answer once it has caught up with the primary. */
  replica?: true
  /** Whether the ETag consists of the versions of the workspace, without reading the rows. */
  tagged?: true
  /** Whether an empty response may be held, or the response is a stream of changes, or a file that is sent in parts. */
  follows?: 'wait' | 'stream' | 'parts'
  /** Whether a response may be held while it does not change. */
  holds?: true
  /** Whether the body is a file of any size, which is stored while it is received. */
  receives?: 'file'
  bodyMax: number
}

const always = (lane: Lane) => () => lane
const shortIf = (isShort: (query: string) => boolean) => (query: string) => (isShort(query) ? 'short' : 'read')

const usual = { resource: null, bodyMax: BODY_MAX_BYTES } as const
const read = { ...usual, kind: 'read', lane: always('read'), abilities: ['read'] } as const
const write = { ...usual, kind: 'write', lane: always('write') } as const

/** The abilities depend on the operations, so the handler checks them after it has read the body. */
const batch = { ...write, abilities: [], bodyMax: BATCH_BODY_MAX_BYTES } as const

/** Every endpoint of the REST API. */
export const v1Routes: readonly V1Route[] = [
  ...Object.values(registry).flatMap(({ type }) => recordRoutes(type)),
  { method: 'POST', path: '/batch', handler: 'batch', ...batch },
  { method: 'GET', path: '/changes', handler: 'changes', ...read, follows: 'wait' },
  { method: 'GET', path: '/changes/stream', handler: 'changes-stream', ...read, follows: 'stream' },
  { method: 'GET', path: '/search', handler: 'search', ...read },
  { method: 'GET', path: '/trash', handler: 'trash', ...read, abilities: ['read', 'delete'] },
  { method: 'GET', path: '/merges', handler: 'merges', ...read },
  { method: 'PUT', path: '/merges/:id/undo', handler: 'undo-merge', ...write, abilities: ['update', 'delete'] },
  ...jobRoutes(),
  ...schemaRoutes(),
  ...webhookRoutes(),
  { method: 'GET', path: '/custom-fields', handler: 'custom-fields', ...read, tagged: true },
  { method: 'GET', path: '/user', handler: 'user', ...read, lane: always('short') },
  { method: 'GET', path: '/users', handler: 'users', ...read, tagged: true },
  { method: 'GET', path: '/token', handler: 'token', ...read, lane: always('short') },
]

function recordRoutes(resource: ResourceName): V1Route[] {
  const list = `/${resource}`
  const one = `/${resource}/:id`
  const shortLists = { ...read, lane: shortIf(isShortList), replica: true, tagged: true } as const
  const query = { ...read, bodyMax: QUERY_BODY_MAX_BYTES, replica: true } as const
  const routes: V1Route[] = [
    { method: 'GET', path: list, handler: 'list', ...shortLists },
    { method: 'POST', path: list, handler: 'create', ...write, abilities: ['create'] },
    { method: 'POST', path: `${list}/query`, handler: 'query', ...query },
    { method: 'POST', path: `${list}/upsert`, handler: 'upsert', ...write, abilities: ['create', 'update'] },
    { method: 'POST', path: `${list}/batch`, handler: 'batch', ...batch },
    { method: 'GET', path: `${list}/changes`, handler: 'changes', ...read, follows: 'wait' },
    { method: 'GET', path: `${list}/changes/stream`, handler: 'changes-stream', ...read, follows: 'stream' },
    { method: 'GET', path: `${list}/duplicates`, handler: 'duplicates', ...read },
    { method: 'GET', path: `${list}/export`, handler: 'export', ...read, follows: 'parts' },
    { method: 'GET', path: one, handler: 'read', ...read, lane: shortIf((query) => query === '') },
    { method: 'PUT', path: one, handler: 'update', ...write, abilities: ['update'] },
    { method: 'PATCH', path: one, handler: 'update', ...write, abilities: ['update'] },
    { method: 'PUT', path: `${one}/merge`, handler: 'merge', ...write, abilities: ['update', 'delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore', ...write, abilities: ['update', 'delete'] },
    { method: 'GET', path: `${one}/history`, handler: 'history', ...read },
    { method: 'DELETE', path: one, handler: 'remove', ...write, abilities: ['delete'] },
  ]
  return routes.map((route) => ({ ...route, resource }))
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

function jobRoutes(): V1Route[] {
  const one = '/jobs/:id'
  const writing = { ...write, abilities: ['create', 'update'] } as const
  return [
    { method: 'GET', path: '/jobs', handler: 'jobs', ...read, holds: true },
    { method: 'POST', path: '/jobs', handler: 'create-job', ...writing },
    { method: 'GET', path: one, handler: 'job', ...read, lane: always('short'), holds: true },
    { method: 'PUT', path: `${one}/file`, handler: 'job-file', ...writing, receives: 'file' },
    { method: 'GET', path: `${one}/results`, handler: 'job-results', ...read, follows: 'parts' },
    { method: 'PUT', path: `${one}/run`, handler: 'run-job', ...writing },
    { method: 'PUT', path: `${one}/cancel`, handler: 'cancel-job', ...writing, abilities: ['update'] },
    { method: 'PUT', path: `${one}/undo`, handler: 'undo-job', ...writing, abilities: ['update', 'delete'] },
  ]
}

function schemaRoutes(): V1Route[] {
  const fields = '/schema/:resource/fields'
  const one = `${fields}/:code`
  const option = `${one}/options/:option_id`
  const writing = { ...write, permissions: ['manage_fields'] } as const
  return [
    { method: 'GET', path: '/schema', handler: 'schemas', ...read },
    { method: 'GET', path: '/schema/:resource', handler: 'schema', ...read },
    { method: 'POST', path: fields, handler: 'create-field', ...writing, abilities: ['create'] },
    { method: 'PUT', path: one, handler: 'update-field', ...writing, abilities: ['update'] },
    { method: 'PATCH', path: one, handler: 'update-field', ...writing, abilities: ['update'] },
    { method: 'DELETE', path: one, handler: 'remove-field', ...writing, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore-field', ...writing, abilities: ['update'] },
    { method: 'POST', path: `${one}/options`, handler: 'create-option', ...writing, abilities: ['create'] },
    { method: 'PUT', path: option, handler: 'update-option', ...writing, abilities: ['update'] },
    { method: 'DELETE', path: option, handler: 'remove-option', ...writing, abilities: ['delete'] },
    { method: 'PUT', path: '/schema/:resource/order', handler: 'order-fields', ...writing, abilities: ['update'] },
  ]
}

function webhookRoutes(): V1Route[] {
  const one = '/webhooks/:id'
  return [
    { method: 'GET', path: '/webhooks', handler: 'webhooks', ...read },
    { method: 'POST', path: '/webhooks', handler: 'create-webhook', ...write, abilities: ['create', 'read'] },
    { method: 'GET', path: one, handler: 'webhook', ...read, lane: always('short') },
    { method: 'PUT', path: one, handler: 'update-webhook', ...write, abilities: ['update'] },
    { method: 'PATCH', path: one, handler: 'update-webhook', ...write, abilities: ['update'] },
    { method: 'DELETE', path: one, handler: 'delete-webhook', ...write, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/rotate`, handler: 'rotate-webhook', ...write, abilities: ['update'] },
    { method: 'POST', path: `${one}/test`, handler: 'test-webhook', ...write, abilities: ['create'] },
    { method: 'POST', path: `${one}/replay`, handler: 'replay-webhook', ...write, abilities: ['create'] },
    { method: 'GET', path: `${one}/deliveries`, handler: 'deliveries', ...read },
    { method: 'GET', path: `${one}/deliveries/:delivery_id`, handler: 'delivery', ...read },
  ]
}

/** The methods each path takes. */
export function methodsByPath(routes: readonly { path: string; method: Method }[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}
