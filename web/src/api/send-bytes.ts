import { failureOf, KithError } from '@kith/sdk'
import { appHeaders } from './call.ts'

type Sending = {
  method: 'POST' | 'PUT'
  /** Below `/api/app`. */
  path: string
  body: Blob
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
  /** How much of the body is sent, from 0 to 1. */
  onProgress(share: number): void
}

/** Sends bytes, and returns what is answered as `data`. `fetch` does not tell how much of a request is sent. */
export function sendBytes<Data>({ method, path, body, headers, signal, onProgress }: Sending): Promise<Data> {
  const { promise, resolve, reject } = Promise.withResolvers<Data>()
  const request = new XMLHttpRequest()
  request.open(method, `/api/app${path}`)
  for (const [name, value] of Object.entries({ ...appHeaders, ...headers })) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
  request.onload = () => {
    const answer = jsonIn(request.responseText)
    if (request.status < 300) resolve(answer.data)
    else reject(failureOf(request.status, headersOf(request), answer))
  }
  request.onerror = () => reject(new KithError({ kind: 'unreachable', message: 'The service could not be reached.' }))
  request.onabort = () => reject(signal.reason)
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(body)
  return promise
}

function jsonIn(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  return new Headers(
    lines.flatMap((line): [string, string][] => {
      const at = line.indexOf(':')
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()]]
    }),
  )
}
