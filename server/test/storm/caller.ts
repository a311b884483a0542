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
}

export type Call = (asked: Asked) => Promise<Answered>

/** Sends requests about one workspace. */
export function callerOf({ nodes, cookie }: Pick<Place, 'nodes' | 'cookie'>, slug: string): Call {
  return ({ node, method, path, body, token, headers }) => {
    const base = nodes[node % nodes.length]
    const url = token === undefined ? `${base}/api/app/w/${slug}${path}` : `${base}/api/v1${path}`
    const who: Record<string, string> =
      token === undefined ? { 'X-Kith-App': '1', Cookie: cookie } : { Authorization: `Bearer ${token}` }
    return quickRequest(url, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...who, ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    })
  }
}
