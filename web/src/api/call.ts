import { failureOf, KithError } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type CallOptions = {
  body?: unknown
  signal?: AbortSignal
  /** Refuses unless the record was last changed then. */
  version?: string | undefined
  /** The same key does the same thing once, however often it is sent. */
  key?: string | undefined
  /** Nobody has asked for it: a text has saved itself. */
  automatic?: boolean | undefined
}

/**
 * One call of the private API, below `/api/app`. The tests of the service check its answer, so the caller
 * names the type. Whatever is not success is thrown as a `KithError`, with the problems by path.
 */
export async function call<Answer>(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, signal } = options
  const response = await ask(`/api/app${path}`, { method, signal, ...written(body, options) })
  const text = await response.text()
  const answer = text === '' ? undefined : parseJson(text)
  if (!response.ok) throw failureOf(response.status, response.headers, answer)
  // The agreement of the two sides, see above.
  return answer as Answer
}

/** The same without the envelope: most answers are `{ data }`. */
export async function callForData<Data>(method: Method, path: string, options?: CallOptions): Promise<Data> {
  const { data } = await call<{ data: Data }>(method, path, options)
  return data
}

/** A query for `{ data }` at an address. */
export function dataQuery<Data>(queryKey: readonly unknown[], path: string) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => callForData<Data>('GET', path, { signal }) })
}

/** A query for a whole answer, such as a page with its `meta`. */
export function documentQuery<Answer>(queryKey: readonly unknown[], path: string) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => call<Answer>('GET', path, { signal }) })
}

/** The headers of every request of the application. No other site can send them. */
export const appHeaders = { Accept: 'application/json', 'X-Kith-App': '1' }

function written(body: unknown, { version, key, automatic }: CallOptions): RequestInit {
  const headers = {
    ...appHeaders,
    ...(version === undefined ? {} : { 'If-Match': `"${version}"` }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    ...(automatic ? { 'X-Kith-Save': 'automatic' } : {}),
  }
  if (body === undefined) return { headers }
  return { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (cause) {
    init.signal?.throwIfAborted()
    throw new KithError({ kind: 'unreachable', message: 'The service could not be reached.', cause })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A page of a list that belongs to the application alone. */
export type PageOf<Row> = { data: Row[]; meta: { total: number; page: number; per_page: number } }

/** The parameters of an address, without those that are not said. */
export function searchOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const said = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return said.length === 0 ? '' : `?${new URLSearchParams(said)}`
}
