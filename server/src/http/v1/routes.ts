import type { Ability } from '@kith/contract/abilities'
import { BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { resources } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { HandlerName } from './handlers.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type V1Route = {
  method: Method
  /** Below `/v1`, with `:id` for an id. */
  path: string
  handler: HandlerName
  resource: ResourceName | null
  abilities: readonly Ability[]
  kind: 'read' | 'write'
  bodyMax: number
}

/** Every endpoint of the REST interface: the table of contents of the server. */
export const v1Routes: readonly V1Route[] = [
  ...resources.flatMap(({ type }) => [
    route('GET', `/${type}`, 'list', type, ['read']),
    route('POST', `/${type}`, 'create', type, ['create']),
    route('POST', `/${type}/query`, 'query', type, ['read']),
    route('POST', `/${type}/upsert`, 'upsert', type, ['create', 'update']),
    route('GET', `/${type}/:id`, 'read', type, ['read']),
    route('PUT', `/${type}/:id`, 'update', type, ['update']),
    route('PATCH', `/${type}/:id`, 'update', type, ['update']),
    route('DELETE', `/${type}/:id`, 'remove', type, ['delete']),
  ]),
  route('GET', '/custom-fields', 'custom-fields', null, ['read']),
  route('GET', '/user', 'user', null, ['read']),
]

function route(
  method: Method,
  path: string,
  handler: HandlerName,
  resource: ResourceName | null,
  abilities: readonly Ability[],
): V1Route {
  const kind = method === 'GET' || handler === 'query' ? 'read' : 'write'
  const bodyMax = handler === 'query' ? QUERY_BODY_MAX_BYTES : BODY_MAX_BYTES
  return { method, path, handler, resource, abilities, kind, bodyMax }
}

/** The methods each path takes. */
export function methodsByPath(): Map<string, Method[]> {
  const methods = new Map<string, Method[]>()
  for (const { path, method } of v1Routes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}
