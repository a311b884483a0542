import { failureOf, KithError } from '@kith/sdk'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type CallOptions = {
  body?: unknown
  signal?: AbortSignal
  /** Refuses unless the record was last changed then. */
  version?: string | undefined
  /** The same key does the same thing once, however often it is sent. */
  key?: string | undefined
}

/**
 * One call of the private API, below `/api/app`. Its answer is what the service's own tests hold it to, so the caller
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

/** What every request of the application carries, so that no other site can send it. */
export const appHeaders = { Accept: 'application/json', 'X-Kith-App': '1' }

function written(body: unknown, { version, key }: CallOptions): RequestInit {
  const headers = {
    ...appHeaders,
    ...(version === undefined ? {} : { 'If-Match': `"${version}"` }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
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
