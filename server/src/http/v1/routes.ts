import type { Ability } from '@kith/contract/abilities'
import { BATCH_BODY_MAX_BYTES, BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import type { Permission } from '@kith/contract/permissions'
import { resources } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Lane } from '../../calls/call.ts'
import type { HandlerName } from './handlers.ts'
import { isShortList } from './short-list.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type V1Route = {
  method: Method
  /** Below `/v1`, with `:id` for an id and `:resource` for the name of a resource. */
  path: string
  handler: HandlerName
  resource: ResourceName | null
  abilities: readonly Ability[]
  /** What the role of the caller must allow besides. */
  permissions?: readonly Permission[]
  /** Which rate limit the request counts towards. */
  kind: 'read' | 'write'
  /** Where the call runs, by its query string. */
  lane: (query: string) => Lane
  /** Whether a replica may answer once it has caught up with the primary. */
  replica?: true
  /** Whether it has a tag made of the versions of the workspace, without reading what it shows. */
  tagged?: true
  /** Whether an empty response may be held, or the response is a stream of changes, or a file that is sent in parts. */
  follows?: 'wait' | 'stream' | 'parts'
  /** Whether a response may be held while it stays the same. */
  holds?: true
  /** Whether the body is a file of any size, which is stored while it is received. */
  receives?: 'file'
  bodyMax: number
}

const always = (lane: Lane) => () => lane
const shortIf = (isShort: (query: string) => boolean) => (query: string) => (isShort(query) ? 'short' : 'read')

const read = { kind: 'read', lane: always('read'), abilities: ['read'], bodyMax: BODY_MAX_BYTES } as const
const write = { kind: 'write', lane: always('write'), bodyMax: BODY_MAX_BYTES } as const

/** The abilities are those of its operations, which its handler checks once it has read the body. */
const batch = { ...write, abilities: [], bodyMax: BATCH_BODY_MAX_BYTES } as const

/** Every endpoint of the REST API. */
export const v1Routes: readonly V1Route[] = [
  ...resources.flatMap(({ type }) => recordRoutes(type)),
  { method: 'POST', path: '/batch', handler: 'batch', resource: null, ...batch },
  { method: 'GET', path: '/changes', handler: 'changes', resource: null, ...read, follows: 'wait' },
  { method: 'GET', path: '/changes/stream', handler: 'changes-stream', resource: null, ...read, follows: 'stream' },
  { method: 'GET', path: '/search', handler: 'search', resource: null, ...read },
  { method: 'GET', path: '/trash', handler: 'trash', resource: null, ...read, abilities: ['read', 'delete'] },
  { method: 'GET', path: '/merges', handler: 'merges', resource: null, ...read },
  {
    ...{ method: 'PUT', path: '/merges/:id/undo', handler: 'undo-merge', resource: null },
    ...write,
    abilities: ['update', 'delete'],
  },
  ...jobRoutes(),
  ...schemaRoutes(),
  ...webhookRoutes(),
  { method: 'GET', path: '/custom-fields', handler: 'custom-fields', resource: null, ...read, tagged: true },
  { method: 'GET', path: '/user', handler: 'user', resource: null, ...read, lane: always('short') },
  { method: 'GET', path: '/users', handler: 'users', resource: null, ...read, tagged: true },
  { method: 'GET', path: '/token', handler: 'token', resource: null, ...read, lane: always('short') },
]

function recordRoutes(resource: ResourceName): V1Route[] {
  const list = `/${resource}`
  const one = `/${resource}/:id`
  const query = { ...read, bodyMax: QUERY_BODY_MAX_BYTES, replica: true } as const
  return [
    {
      ...{ method: 'GET', path: list, handler: 'list', resource },
      ...{ ...read, lane: shortIf(isShortList), replica: true, tagged: true },
    },
    { method: 'POST', path: list, handler: 'create', resource, ...write, abilities: ['create'] },
    { method: 'POST', path: `${list}/query`, handler: 'query', resource, ...query },
    { method: 'POST', path: `${list}/upsert`, handler: 'upsert', resource, ...write, abilities: ['create', 'update'] },
    { method: 'POST', path: `${list}/batch`, handler: 'batch', resource, ...batch },
    { method: 'GET', path: `${list}/changes`, handler: 'changes', resource, ...read, follows: 'wait' },
    { method: 'GET', path: `${list}/changes/stream`, handler: 'changes-stream', resource, ...read, follows: 'stream' },
    { method: 'GET', path: `${list}/duplicates`, handler: 'duplicates', resource, ...read },
    { method: 'GET', path: `${list}/export`, handler: 'export', resource, ...read, follows: 'parts' },
    { method: 'GET', path: one, handler: 'read', resource, ...read, lane: shortIf((query) => query === '') },
    { method: 'PUT', path: one, handler: 'update', resource, ...write, abilities: ['update'] },
    { method: 'PATCH', path: one, handler: 'update', resource, ...write, abilities: ['update'] },
    { method: 'PUT', path: `${one}/merge`, handler: 'merge', resource, ...write, abilities: ['update', 'delete'] },
    { method: 'PUT', path: `${one}/restore`, handler: 'restore', resource, ...write, abilities: ['update', 'delete'] },
    { method: 'GET', path: `${one}/history`, handler: 'history', resource, ...read },
    { method: 'DELETE', path: one, handler: 'remove', resource, ...write, abilities: ['delete'] },
  ]
}

function jobRoutes(): V1Route[] {
  const one = '/jobs/:id'
  const writing = { resource: null, ...write, abilities: ['create', 'update'] } as const
  return [
    { method: 'GET', path: '/jobs', handler: 'jobs', resource: null, ...read, holds: true },
    { method: 'POST', path: '/jobs', handler: 'create-job', ...writing },
    { method: 'GET', path: one, handler: 'job', resource: null, ...read, lane: always('short'), holds: true },
    { method: 'PUT', path: `${one}/file`, handler: 'job-file', ...writing, receives: 'file' },
    { method: 'GET', path: `${one}/results`, handler: 'job-results', resource: null, ...read, follows: 'parts' },
    { method: 'PUT', path: `${one}/run`, handler: 'run-job', ...writing },
    { method: 'PUT', path: `${one}/cancel`, handler: 'cancel-job', ...writing, abilities: ['update'] },
    { method: 'PUT', path: `${one}/undo`, handler: 'undo-job', ...writing, abilities: ['update', 'delete'] },
  ]
}

function schemaRoutes(): V1Route[] {
  const fields = '/schema/:resource/fields'
  const one = `${fields}/:code`
  const option = `${one}/options/:option_id`
  const writing = { resource: null, ...write, permissions: ['manage_fields'] } as const
  return [
    { method: 'GET', path: '/schema', handler: 'schemas', resource: null, ...read },
    { method: 'GET', path: '/schema/:resource', handler: 'schema', resource: null, ...read },
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
  const reading = { resource: null, ...read } as const
  const writing = { resource: null, ...write } as const
  return [
    { method: 'GET', path: '/webhooks', handler: 'webhooks', ...reading },
    { method: 'POST', path: '/webhooks', handler: 'create-webhook', ...writing, abilities: ['create', 'read'] },
    { method: 'GET', path: one, handler: 'webhook', ...reading, lane: always('short') },
    { method: 'PUT', path: one, handler: 'update-webhook', ...writing, abilities: ['update'] },
    { method: 'PATCH', path: one, handler: 'update-webhook', ...writing, abilities: ['update'] },
    { method: 'DELETE', path: one, handler: 'delete-webhook', ...writing, abilities: ['delete'] },
    { method: 'PUT', path: `${one}/rotate`, handler: 'rotate-webhook', ...writing, abilities: ['update'] },
    { method: 'POST', path: `${one}/test`, handler: 'test-webhook', ...writing, abilities: ['create'] },
    { method: 'POST', path: `${one}/replay`, handler: 'replay-webhook', ...writing, abilities: ['create'] },
    { method: 'GET', path: `${one}/deliveries`, handler: 'deliveries', ...reading },
    { method: 'GET', path: `${one}/deliveries/:delivery_id`, handler: 'delivery', ...reading },
  ]
}

/** The methods each path takes. */
export function methodsByPath(routes: readonly { path: string; method: Method }[]): Map<string, Method[]> {
  const methods = new Map<string, Method[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}
