import { failureOf, KithError } from '@kith/sdk'
import { appHeaders } from './call.ts'
import type { Job } from './jobs.ts'

type Upload = { slug: string; id: string; file: Blob; signal: AbortSignal; onProgress(share: number): void }

/** Sends the file of an import. `fetch` does not tell how much of a request is sent. */
export function uploadFile({ slug, id, file, signal, onProgress }: Upload): Promise<Job> {
  const { promise, resolve, reject } = Promise.withResolvers<Job>()
  const request = new XMLHttpRequest()
  request.open('PUT', `/api/app/w/${slug}/v1/jobs/${id}/file`)
  for (const [name, value] of Object.entries(appHeaders)) request.setRequestHeader(name, value)
  request.setRequestHeader('Content-Type', 'text/csv')
  request.setRequestHeader('Content-Encoding', 'gzip')
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
  request.onload = () => {
    const answer = jsonIn(request.responseText)
    if (request.status < 300) resolve(answer.data)
    else reject(failureOf(request.status, headersOf(request), answer))
  }
  request.onerror = () => reject(new KithError({ kind: 'unreachable', message: 'The service could not be reached.' }))
  request.onabort = () => reject(signal.reason)
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(file)
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
