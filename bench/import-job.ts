import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type ImportTarget = { url: string; token: string }

type Wanted = {
  resource: string
  /** The file, in parts of any length. */
  file: Iterable<string>
  /** The service has the whole file. */
  onSent?(): void
}

type Job = {
  id: string
  attributes: { state: string; message: string | null; progress: { rows: number; done: number; failed: number } }
}

/** Imports a CSV file and waits until the job is done. Every row must be created. */
export async function importJob(target: ImportTarget, { resource, file, onSent }: Wanted): Promise<void> {
  const body = JSON.stringify({ type: 'import', resource, format: 'csv', mode: 'create' })
  const made = await call(target, '/jobs', { method: 'POST', body })
  await sendFile(target, `/jobs/${made.id}/file`, file)
  onSent?.()
  for (;;) {
    const { attributes } = await call(target, `/jobs/${made.id}?wait=20`)
    const { state, message, progress } = attributes
    if (state === 'done' && progress.failed === 0 && progress.done === progress.rows) return
    if (state !== 'queued' && state !== 'running') throw new Error(`The job is ${state}: ${message ?? progress.failed}`)
  }
}

async function call({ url, token }: ImportTarget, path: string, init: RequestInit = {}): Promise<Job> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(url + path, { ...init, headers })
  if (!response.ok) throw new Error(await response.text())
  // A document with one job.
  const { data } = (await response.json()) as { data: Job }
  return data
}

/** Sends a file of any size as a stream. */
async function sendFile({ url, token }: ImportTarget, path: string, file: Iterable<string>): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' }
  const sending = request(url + path, { method: 'PUT', headers })
  const answered = new Promise<void>((resolve, reject) => {
    sending.on('error', reject).on('response', (response) => {
      response.resume()
      if (response.statusCode === 202) resolve()
      else reject(new Error(`The file was answered with ${response.statusCode}.`))
    })
  })
  await Promise.all([pipeline(Readable.from(inParts(file)), sending), answered])
}

const PART = 64 * 1024

function* inParts(texts: Iterable<string>): Generator<string> {
  let part = ''
  for (const text of texts) {
    part += text
    if (part.length < PART) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

/** A file of notes of about so many megabytes. Its rows are of the same length. */
export function* sizedFile({ megabytes, rows }: { megabytes: number; rows: number }): Generator<string> {
  const length = Math.floor((megabytes * 1024 * 1024) / rows)
  yield 'title,body\n'
  for (let row = 1; row <= rows; row++) {
    const title = `Note ${row}`
    // A comma and a line end.
    yield `${title},${'lorem ipsum '.repeat(length / 12 + 1).slice(0, length - title.length - 2)}\n`
  }
}
