import type { Dispatcher } from 'undici'
import { errorCode, openPools, type PoolSettings, Problem } from './checked-pools.ts'

/** What was read, or a word for why it could not be read. */
type Reading = { body: string; error?: undefined } | { error: string }

export type Reader = { read(url: string): Promise<Reading>; close(): Promise<void> }

/** Reads small JSON documents at URLs that strangers have chosen. Redirects are not followed. */
export function openReader({ max_bytes, ...settings }: PoolSettings & { max_bytes: number }): Reader {
  const pools = openPools(settings)

  async function get(text: string, signal: AbortSignal): Promise<string> {
    const url = new URL(text)
    const pool = await pools.to(url, { name: 'read', signal })
    const headers = { accept: 'application/json', 'user-agent': 'Kith/1.0' }
    const answer = await pool.request({ method: 'GET', path: `${url.pathname}${url.search}`, headers, signal })
    // Destroying a body that is not read to its end is an error that nobody else listens for.
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
