import type { CellSettings, ImportMode, Mapping } from '@kith/contract/import/settings'
import type { ResourceName } from '@kith/contract/resource'
import type { JobObject } from '@kith/sdk'
import { queryOptions } from '@tanstack/react-query'
import { call, callForData } from './call.ts'

/** An import, its check, or its undo. */
export type Job = JobObject

type NewImport = CellSettings & {
  resource: ResourceName
  mode: ImportMode
  match: string | null
  mapping: Mapping
  create_options: boolean
  dry_run: boolean
  name: string
}

type JobPage = { data: Job[]; meta: { total: number; per_page: number; current_page: number; last_page: number } }

export function hasEnded({ attributes: { state } }: Job): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

const OFTEN_MS = 2000
/** A request waits this long for the next step of a job. */
const WAIT_SECONDS = 20

/** The imports of the member; owners and admins see all. */
export function jobsQuery(slug: string, page: number) {
  return queryOptions({
    queryKey: [slug, 'jobs', 'list', page],
    queryFn: ({ signal }) => call<JobPage>('GET', `/w/${slug}/v1/jobs?per_page=25&page=${page}`, { signal }),
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

export function createImport(slug: string, wanted: NewImport): Promise<Job> {
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
