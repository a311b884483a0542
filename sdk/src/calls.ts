import { writeQueryString } from '@kith/contract/query-string'
import { conditionsOf } from './conditions.ts'
import { type CallOptions, type ChangeOptions, type ListRequest, parametersOf } from './list-query.ts'
import { type Call, type Connection, send } from './transport.ts'

export function reading(path: string, asked: ListRequest): Call {
  return { method: 'GET', path: withQuery(path, asked), repeatable: true, signal: asked.signal }
}

/** A list whose parameters travel in a body. */
export function querying(path: string, asked: ListRequest): Call {
  return { method: 'POST', path: `${path}/query`, body: parametersOf(asked), repeatable: true, signal: asked.signal }
}

/** It only reads. */
export function summarizing(path: string, { signal, ...body }: CallOptions): Call {
  return { method: 'POST', path: `${path}/summary`, body, repeatable: true, signal }
}

/** Without a key it is the only write that must not be done twice. */
export function creating(path: string, body: object, asked: ListRequest): Call {
  const headers = conditionsOf(asked, true)
  const repeatable = headers['Idempotency-Key'] !== undefined
  return { method: 'POST', path: withQuery(path, asked), body, repeatable, headers, ...ends(asked) }
}

/** An identical second upsert finds the record that the first has created. */
export function upserting(path: string, body: object, asked: ListRequest): Call {
  const headers = conditionsOf(asked, true)
  return { method: 'POST', path: withQuery(`${path}/upsert`, asked), body, repeatable: true, headers, ...ends(asked) }
}

export function updating(path: string, body: object, asked: ListRequest): Call {
  const headers = conditionsOf(asked)
  return { method: 'PUT', path: withQuery(path, asked), body, repeatable: true, headers, ...ends(asked) }
}

export function deleting(path: string, asked: ChangeOptions): Call {
  return { method: 'DELETE', path, repeatable: true, headers: conditionsOf(asked), ...ends(asked) }
}

function ends({ signal }: CallOptions): Pick<Call, 'signal'> {
  return { signal }
}

/** The document that answers a call. */
export async function documentOf<T>(connection: Connection, call: Call): Promise<T> {
  const { body } = await send(connection, call)
  // The contract defines the response of each call, and the service's tests check it.
  return body as T
}

/** The response to an upsert, and whether the record is new. */
export async function upserted<T>(connection: Connection, call: Call): Promise<T & { created: boolean }> {
  const { status, body } = await send(connection, call)
  // As above.
  return { ...(body as T), created: status === 201 }
}

function withQuery(path: string, asked: ListRequest): string {
  const query = writeQueryString(parametersOf(asked))
  return query === '' ? path : `${path}?${query}`
}
