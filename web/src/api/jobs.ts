import type { CellSettings, ImportMode, Mapping } from '@kith/contract/import/settings'
import type { ResourceName } from '@kith/contract/resource'
import { failureOf, type JobObject, type JobResult } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { callForData, documentQuery } from './call.ts'
import { sendBytes } from './send-bytes.ts'

/** An import, its check, or its undo. */
export type Job = JobObject

export function hasEnded({ attributes: { state } }: Job): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

const OFTEN_MS = 2000

/** A request waits this long for the next step of a job. */
const WAIT_SECONDS = 20

/** The imports of the member; owners and admins see all. */
export function jobsQuery(slug: string, page: number) {
  return queryOptions({
    ...documentQuery<{
      data: Job[]
      meta: { total: number; per_page: number; current_page: number; last_page: number }
    }>([slug, 'jobs', 'list', page], `/w/${slug}/v1/jobs?per_page=25&page=${page}`),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.data.every(hasEnded) ? false : OFTEN_MS),
  })
}

/** A job, again and again until it has ended: each request after the first waits for the next step. */
export function jobQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [slug, 'jobs', id],
    queryFn: ({ signal, client, queryKey }) => {
      const wait = client.getQueryData(queryKey) === undefined ? 0 : WAIT_SECONDS
      return callForData<Job>('GET', `/w/${slug}/v1/jobs/${id}?wait=${wait}`, { signal })
    },
    staleTime: 0,
    refetchInterval: ({ state: { data, error } }) => {
      if (data && hasEnded(data)) return false
      return error ? OFTEN_MS : 250
    },
  })
}

export function createImport(
  slug: string,
  wanted: CellSettings & {
    resource: ResourceName
    mode: ImportMode
    match: string | null
    mapping: Mapping
    create_options: boolean
    create_related: boolean
    dry_run: boolean
    name: string
  },
): Promise<Job> {
  return callForData('POST', `/w/${slug}/v1/jobs`, {
    body: { type: 'import', format: 'csv', delimiter: ',', ...wanted },
  })
}

export function readJob(slug: string, id: string): Promise<Job> {
  return callForData('GET', `/w/${slug}/v1/jobs/${id}`)
}

/** Runs a dry run for real, as a new job. Again, such as after Back or in another tab, it is the same job. */
export function runJob(slug: string, id: string): Promise<Job> {
  return callForData('PUT', `/w/${slug}/v1/jobs/${id}/run`, { key: `run ${id}` })
}

export function cancelJob(slug: string, id: string): Promise<Job> {
  return callForData('PUT', `/w/${slug}/v1/jobs/${id}/cancel`)
}

/** Undoes an import, as a new job. */
export function undoJob(slug: string, id: string): Promise<Job> {
  return callForData('PUT', `/w/${slug}/v1/jobs/${id}/undo`)
}

/** The address of the failed rows as they were, with a column that says why. */
export function failedRowsFile(slug: string, id: string): string {
  return `/api/app/w/${slug}/v1/jobs/${id}/results?format=csv`
}

/** A row of a job that was not written. */
export type FailedRow = Pick<JobResult, 'row' | 'id'> & { message: string; errors: NonNullable<JobResult['errors']> }

/** The first failed rows of a job, and the same rows as CSV, if the job has a file. */
export async function loadFailedRows(
  slug: string,
  job: { id: string; hasFile: boolean; most: number },
  signal: AbortSignal,
): Promise<{ rows: FailedRow[]; csv: string }> {
  const path = `/api/app/w/${slug}/v1/jobs/${job.id}/results`
  const [lines, csv] = await Promise.all([
    startOf(`${path}?outcome=failed`, job.most, signal),
    job.hasFile ? startOf(`${path}?format=csv`, Number.POSITIVE_INFINITY, signal) : '',
  ])
  const rows = lines
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, job.most)
  return { rows: rows.map(rowIn), csv }
}

const MOST_CHARACTERS = 2_000_000

/** A response of any length, read to a number of lines. The part after the last whole line is left out. */
async function startOf(address: string, lines: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw failureOf(response.status, response.headers, await response.json().catch(() => undefined))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let found = 0; reader && found < lines && text.length < MOST_CHARACTERS; ) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    found += value.split('\n').length - 1
  }
  await reader?.cancel()
  return text.slice(0, text.lastIndexOf('\n') + 1)
}

function rowIn(line: string): FailedRow {
  // As the API writes it.
  const { row, id, message, errors } = JSON.parse(line)
  return { row, id, message: message ?? '', errors: errors ?? {} }
}

/** Sends the file of an import. */
export function uploadFile(options: {
  slug: string
  id: string
  file: Blob
  signal: AbortSignal
  onProgress(share: number): void
}): Promise<Job> {
  const { slug, id, file: body, signal, onProgress } = options
  const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }
  return sendBytes({ method: 'PUT', path: `/w/${slug}/v1/jobs/${id}/file`, body, headers, signal, onProgress })
}
