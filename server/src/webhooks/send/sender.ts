import { DELIVERY_SECONDS, IN_FLIGHT_MAX, LOGGED_RESPONSE_BYTES } from '@kith/contract/limits'
import { type Dispatcher, errors, Pool } from 'undici'
import { plainHost } from './addresses.ts'
import { isPermitted, portOf, type UrlRules } from './allowed-url.ts'
import { openResolve, type Resolve } from './resolve.ts'

/** What is sent to the URL of an endpoint. */
type Sending = { endpoint_id: string; url: string; headers: Readonly<Record<string, string>>; body: string }

/** What came of it. `error` is null after a 2xx. */
type Sent = {
  status: number | null
  ms: number
  error: string | null
  response: { headers: Readonly<Record<string, string>>; body: string } | null
}

export type Sender = { send(sending: Sending): Promise<Sent>; close(): Promise<void> }

type SenderSettings = { rules(): UrlRules; timeout_ms?: number; resolve?: Resolve }

/** How long the rest of a response is read, for the log only. */
const BODY_MS = 1000
/** Connections that are not used are closed after this time. */
const IDLE_MS = 10_000

/**
 * Sends requests to the URLs that members of a workspace have chosen. Each attempt resolves the name once, checks all
 * addresses, and connects to one of those. Redirects are not followed.
 */
export function openSender({ rules, timeout_ms = DELIVERY_SECONDS * 1000, resolve }: SenderSettings): Sender {
  const pools = new Map<string, { pool: Pool; timer: NodeJS.Timeout }>()
  const addressesOf = resolve ?? openResolve()

  async function send(sending: Sending): Promise<Sent> {
    const begun = performance.now()
    const timeout = AbortSignal.timeout(timeout_ms)
    const ended = (outcome: Omit<Sent, 'ms'>): Sent => ({ ...outcome, ms: Math.round(performance.now() - begun) })
    try {
      const url = new URL(sending.url)
      const address = await before(timeout, checkedAddress(url))
      const response = await post(sending, { url, address, signal: timeout })
      return ended(response)
    } catch (error) {
      return ended({ status: null, error: timeout.aborted ? 'timeout' : errorCode(error), response: null })
    }
  }

  async function checkedAddress(url: URL): Promise<string> {
    const { allow, own } = rules()
    const host = plainHost(url.hostname)
    const plain = url.protocol !== 'https:'
    const addresses = await addressesOf(host).catch(() => [])
    const [first] = addresses
    if (first === undefined) throw new Problem('dns')
    const isOwn = (address: string) => own.includes(`${plainHost(address)}:${portOf(url)}`)
    const isFine = (address: string) => isPermitted(allow, { host, address, plain }) && !isOwn(address)
    if (!addresses.every(isFine)) throw new Problem('blocked_address')
    return first
  }

  type Posting = { url: URL; address: string; signal: AbortSignal }

  async function post({ endpoint_id, headers, body }: Sending, { url, address, signal }: Posting) {
    const pool = poolFor(`${endpoint_id} ${url.origin} ${address}`, url, address)
    const answer = await pool.request({
      ...{ method: 'POST', path: `${url.pathname}${url.search}`, headers: { ...headers }, body, signal },
    })
    const status = answer.statusCode
    const text = await startOf(answer.body)
    return { status, error: errorOf(status), response: { headers: textHeaders(answer.headers), body: text } }
  }

  /** The connections of one endpoint to one address. Endpoints do not share them, so that none waits for another. */
  function poolFor(key: string, url: URL, address: string): Pool {
    const known = pools.get(key)
    const pool = known?.pool ?? newPool(url, address)
    clearTimeout(known?.timer)
    const timer = setTimeout(() => {
      pools.delete(key)
      void pool.close().catch(() => {})
    }, IDLE_MS + timeout_ms).unref()
    pools.set(key, { pool, timer })
    return pool
  }

  return {
    send,
    async close() {
      const open = [...pools.values()]
      pools.clear()
      for (const { timer } of open) clearTimeout(timer)
      await Promise.all(open.map(({ pool }) => pool.destroy()))
    },
  }
}

/** Connects to the checked address only. The name is kept for TLS and Host. */
function newPool(url: URL, address: string): Pool {
  const family = address.includes(':') ? 6 : 4
  return new Pool(url.origin, {
    // As many again for replays.
    connections: 2 * IN_FLIGHT_MAX,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS / 2,
    keepAliveMaxTimeout: IDLE_MS / 2,
    allowH2: false,
    connect: {
      lookup: (_host, options, done) => (options.all ? done(null, [{ address, family }]) : done(null, address, family)),
    },
  })
}

class Problem extends Error {}

function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cut = () => reject(new Problem('timeout'))
  signal.addEventListener('abort', cut)
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', cut))
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** A word that the log shows. It must not tell more about a network than that there was no connection. */
function errorCode(error: unknown): string {
  if (error instanceof Problem) return error.message
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return 'invalid_response'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls'
  return 'connection'
}

/** The first bytes of a body. Whether the rest comes does not matter. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => body.destroy(), BODY_MS).unref()
  try {
    for await (const part of body) {
      parts.push(Buffer.from(part))
      length += part.length
      if (length >= LOGGED_RESPONSE_BYTES) break
    }
  } catch {
    // What came of it is enough.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  return Buffer.concat(parts).subarray(0, LOGGED_RESPONSE_BYTES).toString('utf8').replaceAll('\0', '')
}

const HEADERS_MAX = 50
const HEADER_MAX = 500

function textHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const some = Object.entries(headers).slice(0, HEADERS_MAX)
  return Object.fromEntries(
    some.map(([name, value]) => [name.slice(0, HEADER_MAX), String(value).slice(0, HEADER_MAX)]),
  )
}
