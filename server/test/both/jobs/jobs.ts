import { expect } from 'vitest'
import type { Answered, Api } from '../../api.ts'

type Job = { id: string; attributes: Record<string, unknown> & { state: string; progress: Record<string, number> } }

/** A new import that waits for its file. */
export async function newImport(api: Api, options: object = {}): Promise<string> {
  const made = await api.post('/jobs', {
    type: 'import',
    resource: 'companies',
    format: 'csv',
    mode: 'create',
    ...options,
  })
  expect(made.status, made.text).toBe(201)
  return made.body.data.id
}

export function sendFile(api: Api, id: string, file: string | Uint8Array, headers = {}): Promise<Answered> {
  return api.send('PUT', `/jobs/${id}/file`, file, { headers: { 'Content-Type': 'text/csv', ...headers } })
}

/** The job, once it has ended. */
export async function ended(api: Api, id: string): Promise<Job> {
  for (;;) {
    const { status, text, body } = await api.get(`/jobs/${id}?wait=10`)
    expect(status, text).toBe(200)
    if (!['waiting', 'queued', 'running'].includes(body.data.attributes.state)) return body.data
  }
}

/** Imports a file and waits for the end. */
export async function imported(api: Api, file: string | Uint8Array, options: object = {}): Promise<Job> {
  const id = await newImport(api, options)
  const type = 'format' in options && options.format === 'ndjson' ? 'application/x-ndjson' : 'text/csv'
  const sent = await sendFile(api, id, file, { 'Content-Type': type })
  expect(sent.status, sent.text).toBe(202)
  return ended(api, id)
}

type Result = {
  row: number
  outcome: string
  id: string | null
  message: string | null
  errors: Record<string, string[]>
}

export async function resultsOf(api: Api, id: string, query = ''): Promise<Result[]> {
  const text = await resultFile(api, id, query)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The paths of everything that is wrong with a request. */
export function pathsOf(answer: Answered): string[] {
  expect(answer.status, answer.text).toBe(422)
  return Object.keys(answer.body.errors)
}

/** A file is not JSON, even if its only line is. */
export async function resultFile(api: Api, id: string, query = ''): Promise<string> {
  const headers = { Authorization: `Bearer ${api.token}` }
  const answer = await fetch(`${api.base}/jobs/${id}/results${query}`, { headers })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  return text
}
