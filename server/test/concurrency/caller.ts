import type { Answered } from '../api.ts'
import { quickRequest } from '../plain-http.ts'
import type { Place } from './place.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request to the REST interface with a token, or to the application's own interface with the owner's session. */
export type Asked = {
  /** Which process answers. */
  node: number
  method: Method
  path: string
  body?: unknown
  /** The token; without one the request goes to the application's interface. */
  token?: string
  headers?: Readonly<Record<string, string>>
  /** Whether a write of a single record is sent as a batch, and its result taken for the response. */
  inBatch?: boolean
}

export type Call = (asked: Asked) => Promise<Answered>

/** Sends requests about one workspace. */
export function callerOf({ nodes, cookie }: Pick<Place, 'nodes' | 'cookie'>, slug: string): Call {
  const send = async ({ node, method, path, body, token, headers }: Asked): Promise<Answered> => {
    const base = nodes[node % nodes.length]
    const url = token === undefined ? `${base}/api/app/w/${slug}${path}` : `${base}/api/v1${path}`
    const who: Record<string, string> =
      token === undefined ? { 'X-Kith-App': '1', Cookie: cookie } : { Authorization: `Bearer ${token}` }
    const answered = await quickRequest(url, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...who, ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    })
    const isNowhere = answered.status === 405 || answered.body?.message?.startsWith('There is nothing at')
    if (isNowhere) throw new Error(`${method} ${path} is not an endpoint.`)
    return answered
  }
  return async (asked) => {
    const batch = asked.inBatch ? batchOf(asked) : undefined
    return batch ? resultOf(await send(batch)) : send(asked)
  }
}

/** The batch of one operation that does the same. Undefined for other requests. */
function batchOf(asked: Asked): Asked | undefined {
  const [, type, id, more] =
    /^\/(companies|people|opportunities|tasks)(?:\/([a-z0-9]+))?(\/.*)?$/.exec(asked.path) ?? []
  if (type === undefined || more !== undefined || asked.method === 'GET') return undefined
  const { 'If-Match': if_match, ...headers } = asked.headers ?? {}
  const condition = if_match === undefined ? {} : { if_match }
  // The bodies of a random run are objects.
  const { match, ...data } = (asked.body ?? {}) as { match?: unknown }
  const named =
    asked.method === 'DELETE' ? { op: 'delete', id, ...condition } : { op: 'update', id, data, ...condition }
  const made = id === 'upsert' ? { op: 'upsert', match, data } : { op: 'create', data }
  const operations = [id === undefined || id === 'upsert' ? made : named]
  return { ...asked, method: 'POST', path: `/${type}/batch`, headers, body: { operations, return: 'record' } }
}

/** The response of a batch as that of its only operation. */
function resultOf(answered: Answered): Answered {
  if (answered.status !== 200 && answered.status !== 207) return answered
  const [{ status, data, message, errors, matches }] = answered.body.data
  if (status >= 300) return { ...answered, status, body: { message, errors, matches } }
  // Nothing is included in a result.
  const { relationships: _, ...record } = data ?? {}
  return { ...answered, status, body: { data: record } }
}
