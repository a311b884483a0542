import { DELIVERY_SECONDS, LOGGED_RESPONSE_BYTES } from '@kith/contract/limits'
import type { Dispatcher } from 'undici'
import { errorCode, openPools, type PoolSettings, Problem } from './checked-pools.ts'

/** The request to the URL of an endpoint. */
type OutboundRequest = { endpoint_id: string; url: string; headers: Readonly<Record<string, string>>; body: string }

/** The result of a request. `error` is null after a 2xx. */
type OutboundResult = {
  status: number | null
  ms: number
  error: string | null
  response: { headers: Readonly<Record<string, string>>; body: string } | null
}

export type Sender = { send(sending: OutboundRequest): Promise<OutboundResult>; close(): Promise<void> }

/** How long the rest of a response is read, for the log only. */
const BODY_MS = 1000

/** Sends requests to the URLs that members of a workspace have chosen. Redirects are not followed. */
export function openSender({
  rules,
  timeout_ms = DELIVERY_SECONDS * 1000,
  resolve,
}: Omit<PoolSettings, 'timeout_ms'> & { timeout_ms?: number }): Sender {
  const pools = openPools({ rules, timeout_ms, resolve })

  async function send(sending: OutboundRequest): Promise<OutboundResult> {
    const begun = performance.now()
    const timeout = AbortSignal.timeout(timeout_ms)
    const ended = (outcome: Omit<OutboundResult, 'ms'>): OutboundResult => ({
      ...outcome,
      ms: Math.round(performance.now() - begun),
    })
    try {
      return ended(await post(sending, timeout))
    } catch (error) {
      return ended({ status: null, error: timeout.aborted ? 'timeout' : errorCode(error), response: null })
    }
  }

  /** Endpoints do not share connections, so that none waits for another. */
  async function post({ endpoint_id: name, url: text, headers, body }: OutboundRequest, signal: AbortSignal) {
    const url = new URL(text)
    const pool = await pools.to(url, { name, signal })
    const answer = await pool.request({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers },
      body,
      signal,
    })
    const status = answer.statusCode
    const start = await startOf(answer.body)
    return { status, error: errorOf(status), response: { headers: textHeaders(answer.headers), body: start } }
  }

  return { send, close: pools.close }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** The first bytes of a body. The rest is not needed. */
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
    // An incomplete body is enough for the log.
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

export type Reader = {
  read(url: string): Promise<{ body: string; error?: undefined } | { error: string }>
  close(): Promise<void>
}

/** Reads small JSON documents at URLs that anonymous callers have chosen. Redirects are not followed. */
export function openReader({ max_bytes, ...settings }: PoolSettings & { max_bytes: number }): Reader {
  const pools = openPools(settings)

  async function get(text: string, signal: AbortSignal): Promise<string> {
    const url = new URL(text)
    const pool = await pools.to(url, { name: 'read', signal })
    const headers = { accept: 'application/json', 'user-agent': 'Kith/1.0' }
    const answer = await pool.request({ method: 'GET', path: `${url.pathname}${url.search}`, headers, signal })
    // Destroying an unread body emits an error, which must have a listener.
    answer.body.on('error', () => {})
    try {
      if (answer.statusCode !== 200) throw new Problem('status')
      if (!JSON_TYPE.test(String(answer.headers['content-type']))) throw new Problem('type')
      return await wholeOf(answer.body, max_bytes)
    } finally {
      answer.body.destroy()
    }
  }

  return {
    async read(url) {
      const timeout = AbortSignal.timeout(settings.timeout_ms)
      try {
        return { body: await get(url, timeout) }
      } catch (error) {
        return { error: timeout.aborted ? 'timeout' : errorCode(error) }
      }
    },
    close: pools.close,
  }
}

const JSON_TYPE = /^application\/([a-z0-9._-]+\+)?json *(;|$)/i

async function wholeOf(body: Dispatcher.ResponseData['body'], max_bytes: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length > max_bytes) throw new Problem('too_large')
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts).toString('utf8')
}
