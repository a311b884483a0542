import { DELIVERY_SECONDS, LOGGED_RESPONSE_BYTES } from '@kith/contract/limits'
import type { Dispatcher } from 'undici'
import { errorCode, openPools, type PoolSettings } from './checked-pools.ts'

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

type SenderSettings = Omit<PoolSettings, 'timeout_ms'> & { timeout_ms?: number }

/** How long the rest of a response is read, for the log only. */
const BODY_MS = 1000

/** Sends requests to the URLs that members of a workspace have chosen. Redirects are not followed. */
export function openSender({ rules, timeout_ms = DELIVERY_SECONDS * 1000, resolve }: SenderSettings): Sender {
  const pools = openPools({ rules, timeout_ms, resolve })

  async function send(sending: Sending): Promise<Sent> {
    const begun = performance.now()
    const timeout = AbortSignal.timeout(timeout_ms)
    const ended = (outcome: Omit<Sent, 'ms'>): Sent => ({ ...outcome, ms: Math.round(performance.now() - begun) })
    try {
      return ended(await post(sending, timeout))
    } catch (error) {
      return ended({ status: null, error: timeout.aborted ? 'timeout' : errorCode(error), response: null })
    }
  }

  /** Endpoints do not share connections, so that none waits for another. */
  async function post({ endpoint_id: name, url: text, headers, body }: Sending, signal: AbortSignal) {
    const url = new URL(text)
    const pool = await pools.to(url, { name, signal })
    const answer = await pool.request({
      ...{ method: 'POST', path: `${url.pathname}${url.search}`, headers: { ...headers }, body, signal },
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
