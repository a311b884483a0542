import { inject } from 'vitest'
import { type CheckAnswer, checkAnswer } from './answer-check.ts'
import { quickRequest } from './plain-http.ts'
import { addressOf, deviation } from './through-prism.ts'

/** An answer as the wire brought it, its JSON read. */
export type Answered = {
  status: number
  headers: Headers
  text: string
  // Tests look into answers of every shape; what they expect, they assert.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  body: any
}

export type ApiOptions = { headers?: Readonly<Record<string, string>> }

/**
 * Speaks to the REST interface with one token. Paths begin behind `/api/v1`. Every answer must be as openapi.json says.
 */
export type Api = {
  token: string
  base: string
  get(path: string, options?: ApiOptions): Promise<Answered>
  post(path: string, body?: unknown, options?: ApiOptions): Promise<Answered>
  put(path: string, body?: unknown, options?: ApiOptions): Promise<Answered>
  patch(path: string, body?: unknown, options?: ApiOptions): Promise<Answered>
  delete(path: string, options?: ApiOptions): Promise<Answered>
  /** Any method, and a body that is sent as it is. */
  send(method: string, path: string, body?: string | Uint8Array, options?: ApiOptions): Promise<Answered>
}

/** Given when another process writes for too long. Nothing has been executed. */
const BUSY = 'The database is not available at the moment.'

/** Answers must be as the general document says, or as `check` has it. */
export function apiAt(url: string, token: string, check: CheckAnswer = checkAnswer): Api {
  const base = `${url}/api/v1`
  const isShared = url === inject('service')?.url
  async function send(
    method: string,
    path: string,
    body?: string | Uint8Array,
    options: ApiOptions = {},
  ): Promise<Answered> {
    const url = base + path
    const headers = {
      Accept: 'application/json',
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    }
    const address = addressOf(base, path, { method, headers, body })
    let answered = await quickRequest(address, { method, headers, body })
    // On a busy machine, another test may write to the shared database for longer than a write waits.
    while (isShared && answered.status === 503 && answered.text.includes(BUSY)) {
      answered = await quickRequest(address, { method, headers, body })
    }
    check({ method, url, body }, answered)
    const problem = deviation(answered)
    if (problem !== undefined) throw new Error(`${method} ${url} answered not as openapi.json says: ${problem}`)
    return answered
  }
  const json = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body))
  return {
    token,
    base,
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, json(body), options),
    put: (path, body, options) => send('PUT', path, json(body), options),
    patch: (path, body, options) => send('PATCH', path, json(body), options),
    delete: (path, options) => send('DELETE', path, undefined, options),
  }
}
