import { failureOf, KithError, unreachable } from './failures.ts'
import { wait } from './wait.ts'

export type ClientOptions = {
  /**
   * The address of the service, such as `https://crm.example.com`, with or without `/api` and `/v1`. Without a path, the
   * first call asks the service whether its API is below `/api` or has this domain to itself.
   */
  readonly url: string
  readonly token: string
  /** How often a call is retried after `Retry-After` or a lost answer. Default: 3. */
  readonly retries?: number | undefined
  /** A call that must wait longer, in seconds, is not retried. Default: 120. */
  readonly longest_wait?: number | undefined
  /** Ends every call of the client. */
  readonly signal?: AbortSignal | undefined
  /** A function that sends the requests, instead of the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export type Connection = {
  /** The address up to a path of the API. It is known from the start if the address has a path. */
  base: string | undefined
  /** The address without `/v1`. */
  readonly root: string
  readonly headers: Readonly<Record<string, string>>
  readonly retries: number
  readonly longestWait: number
  readonly signal: AbortSignal | undefined
  readonly fetch: typeof globalThis.fetch
}

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/v1`. */
  readonly path: string
  readonly body?: unknown
  /** Sent as it is, in place of a body of JSON. */
  readonly file?: { readonly content: FileContent; readonly type: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Whether doing it twice is as good as doing it once. */
  readonly repeatable: boolean
  readonly signal: AbortSignal | undefined
}

/** A file that can be sent again. A `Blob` of a file on disk is read while it is sent. */
export type FileContent = string | Uint8Array<ArrayBuffer> | Blob

type TransportAnswer = { readonly status: number; readonly headers: Headers; readonly body: unknown }

const RETRIES = 3
const LONGEST_WAIT = 120
/** The first wait, in seconds, where the answer names none; it doubles each time. */
const FIRST_WAIT = 0.5

export function connect({ url, token, retries = RETRIES, signal, fetch, ...options }: ClientOptions): Connection {
  const { longest_wait: longestWait = LONGEST_WAIT } = options
  const root = url.replace(/\/+$/, '').replace(/\/v1$/, '')
  const base = /^https?:\/\/[^/]+$/i.test(root) ? undefined : `${root}/v1`
  const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` }
  // Invalid settings fail here, not on every call as if the service were unavailable. A page may omit its host.
  if (!/^(https?:\/\/|\/)/i.test(root)) throw new TypeError(`The url must begin with http:// or https://: ${url}`)
  new Request(`${root}/v1`, { headers })
  // A browser's fetch must not be called as a method of something else.
  const send = fetch ?? ((input, init) => globalThis.fetch(input, init))
  return { base, root, headers, retries, longestWait, signal, fetch: send }
}

/** Sends a call, again where that helps, and returns the answer of success. Everything else is thrown. */
export function send(connection: Connection, call: Call): Promise<TransportAnswer> {
  return sendFor(connection, call, async (response) => read(response, await response.text()))
}

/** Like `send`, for a response that is read while it arrives. */
export function openStream(connection: Connection, call: Call): Promise<Response> {
  return sendFor(connection, call, async (response) => {
    if (response.ok) return response
    return failureOf(response.status, response.headers, parseJson(await response.text()))
  })
}

async function sendFor<T>(connection: Connection, call: Call, readOne: ReadBody<T | KithError>): Promise<T> {
  const signal = anyOf(connection.signal, call.signal)
  let doubtful = false
  for (let repeats = 0; ; repeats++) {
    const outcome = await attempt(connection, { ...call, signal }, readOne)
    if (!(outcome instanceof KithError)) return outcome
    // An earlier attempt did it, and only its answer got lost.
    if (doubtful && call.method === 'DELETE' && outcome.kind === 'not_found') {
      const done = await readOne(new Response(null, { status: 204 }))
      if (!(done instanceof KithError)) return done
    }
    const seconds = secondsToWait(outcome, call, repeats)
    const { retries, longestWait } = connection
    if (repeats >= retries || seconds === undefined || seconds > longestWait) throw outcome
    doubtful ||= mayHaveWorked(outcome)
    await wait(seconds, signal)
  }
}

type ReadBody<T> = (response: Response) => Promise<T>

async function attempt<T>(
  connection: Connection,
  { method, path, body, file, headers, signal }: Call,
  readOne: ReadBody<T>,
): Promise<T | KithError> {
  signal?.throwIfAborted()
  try {
    connection.base ??= await baseBelow(connection, signal)
    const response = await connection.fetch(connection.base + path, {
      method,
      headers: {
        ...connection.headers,
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(file === undefined ? {} : { 'Content-Type': file.type }),
      },
      body: file?.content ?? (body === undefined ? undefined : JSON.stringify(body)),
      signal,
      // A followed redirect would turn a POST into a GET.
      redirect: 'manual',
    })
    return await readOne(response)
  } catch (error) {
    signal?.throwIfAborted()
    return unreachable(error)
  }
}

/** The API is below `/api` of an installation, or at the root of a domain of its own, where `/api` is nothing. */
async function baseBelow({ root, headers, fetch }: Connection, signal: AbortSignal | undefined): Promise<string> {
  const { status, body } = await fetch(`${root}/api/v1/token`, { headers, signal, redirect: 'manual' })
  await body?.cancel()
  return status === 404 ? `${root}/v1` : `${root}/api/v1`
}

function read({ status, headers, ok }: Response, text: string): TransportAnswer | KithError {
  const body = parseJson(text)
  if (!ok) return failureOf(status, headers, body)
  const answered = status === 204 || (typeof body === 'object' && body !== null)
  return answered ? { status, headers, body } : notKith(status, headers)
}

function notKith(status: number, headers: Headers): KithError {
  const message =
    'What answered at this address is not the Kith API. Its url is that of the application, or ends in /api.'
  return new KithError({ kind: 'unexpected', message, status, request_id: headers.get('X-Request-Id') })
}

/** `conflict`: an earlier attempt is still being carried out. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'busy', 'conflict', 'unreachable'])

/** A proxy got no answer of the service in time, or a broken one. */
const LOST_BEHIND_PROXY: ReadonlySet<number> = new Set([502, 504])

/** Undefined where another attempt would not help or might do harm. */
function secondsToWait(failure: KithError, call: Call, repeats: number): number | undefined {
  const { kind, status, retry_after } = failure
  if (!PASSING.has(kind) && !LOST_BEHIND_PROXY.has(status)) return undefined
  if (mayHaveWorked(failure) && !call.repeatable) return undefined
  if (retry_after !== null) return retry_after
  // Clients that failed together shall not come back together.
  return FIRST_WAIT * 2 ** repeats * (0.5 + Math.random() / 2)
}

/** With `Retry-After` the service has done nothing. After a lost answer, or one of a proxy, this is unknown. */
function mayHaveWorked({ kind, status, retry_after }: KithError): boolean {
  return LOST_BEHIND_PROXY.has(status) || (kind !== 'rate_limited' && retry_after === null)
}

/** A body that is not JSON was not written by the service. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined)
  return given.length > 1 ? AbortSignal.any(given) : given[0]
}
