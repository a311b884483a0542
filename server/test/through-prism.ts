import { expect, inject } from 'vitest'
import type { Answered } from './api.ts'

type Sent = { method: string; body: string | Uint8Array | undefined; headers: Readonly<Record<string, string>> }

/**
 * Where a request to the service that tests share goes: contract tests of the long run send it through Prism, which
 * compares the answer with openapi.json. It buffers whole answers and writes bodies again, so that streams, HEAD and
 * bodies that are not written like that cannot take this way.
 */
export function addressOf(base: string, path: string, { method, body, headers }: Sent): string {
  const { url = '', prism } = inject('service') ?? {}
  const isContract = prism !== undefined && base.startsWith(url) && expect.getState().testPath?.includes('/contract/')
  if (!isContract) return base + path
  const isPlain = method !== 'HEAD' && (body === undefined || isRewritten(body)) && !path.startsWith('/changes/stream')
  const isSpecial = Object.entries(headers).some(([name, value]) => {
    return /^(accept-encoding|content-.*|host|x-forwarded-.*)$/i.test(name) && value !== 'application/json'
  })
  return isPlain && !isSpecial && isDecodable(path) ? `${prism}/v1${path}` : base + path
}

/** Prism ends at a path that it cannot decode. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

function isRewritten(body: string | Uint8Array): boolean {
  if (typeof body !== 'string' || body === 'null') return false
  try {
    return JSON.stringify(JSON.parse(body)) === body
  } catch {
    return false
  }
}

/**
 * What Prism says of an answer. It also says something of requests that the service accepts on purpose, such as those
 * with spaces around a long name, or with read-only attributes. It takes `GET /companies/query` for the record `query`.
 */
export function deviation({ status, headers }: Answered): string | undefined {
  const found = headers.get('sl-violations')
  headers.delete('sl-violations')
  const [answer] = /\{"location":\["response".*?\}/.exec(found ?? '') ?? []
  return status === 405 ? undefined : answer
}
