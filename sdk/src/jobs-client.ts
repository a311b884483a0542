import type { Job, JobState, NewImport, Outcome } from '@kith/contract/jobs'
import { creating, documentOf, reading, updating } from './calls.ts'
import { type ErrorsByPath, KithError } from './failures.ts'
import { type ListClient, listClient } from './list-client.ts'
import type { CallOptions, WriteOptions } from './list-query.ts'
import type { AnyOf } from './registry-types.ts'
import { type Connection, type FileContent, openStream } from './transport.ts'

export type JobObject = { readonly id: string; readonly type: 'jobs'; readonly attributes: Job }

type JobDocument = { readonly data: JobObject }

/** The result of one row of a job. */
export type JobResult = {
  readonly row: number
  readonly outcome: Outcome
  readonly id: string | null
  readonly message: string | null
  readonly errors: ErrorsByPath | null
}

/** The `format` is `csv` unless given; the `mode` is `upsert` if there is a match, else `create`. */
export type ImportOptions = WriteOptions &
  AnyOf<Omit<NewImport, 'type' | 'resource' | 'match'>> & {
    readonly match?: string | undefined
    readonly gzip?: boolean | undefined
  }

export type ImportClient = {
  /** Sends a file to be imported. The job runs in the background: `jobs.ended` waits for it. */
  import(file: FileContent, options?: ImportOptions): Promise<JobDocument>
}

export type JobsClient = ListClient<JobObject> & {
  /** `wait`: for how many seconds the response may wait until the state or the progress changes. */
  read(id: string, options?: CallOptions & { readonly wait?: number | undefined }): Promise<JobDocument>
  /** Waits until the job has ended. `onProgress` is called with every change. */
  ended(id: string, options?: CallOptions & { onProgress?(job: JobObject): void }): Promise<JobDocument>
  /** Every row that is done, or those with one outcome. */
  results(
    id: string,
    options?: CallOptions & { readonly outcome?: Outcome | undefined },
  ): AsyncGenerator<JobResult, void, undefined>
  /** Runs a dry run for real. */
  run(id: string, options?: WriteOptions): Promise<JobDocument>
  cancel(id: string, options?: WriteOptions): Promise<JobDocument>
  undo(id: string, options?: WriteOptions): Promise<JobDocument>
}

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export function importClient(connection: Connection, resource: string): ImportClient {
  return {
    async import(content, options = {}) {
      const { signal, idempotencyKey, gzip, format = 'csv', match, ...rest } = options
      const mode = rest.mode ?? (match === undefined ? 'create' : 'upsert')
      const job = { type: 'import', resource, format, ...rest, mode, ...(match === undefined ? {} : { match }) }
      const asked = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
      const { data } = await documentOf<JobDocument>(connection, creating('/jobs', job, asked))
      try {
        return await documentOf(connection, {
          method: 'PUT',
          path: `/jobs/${data.id}/file`,
          file: { content, type: types[format] },
          ...(gzip ? { headers: { 'Content-Encoding': 'gzip' } } : {}),
          repeatable: false,
          signal,
        })
      } catch (error) {
        // A job that waits for its file counts as open for an hour, and a workspace has only a few open jobs. With a
        // key the caller can send another file to the same job.
        const isRefused = error instanceof KithError && ['invalid', 'too_large'].includes(error.kind)
        if (isRefused && idempotencyKey === undefined)
          await documentOf(connection, updating(`/jobs/${data.id}/cancel`, {}, { signal })).catch(() => {})
        throw error
      }
    },
  }
}

const WAIT_SECONDS = 30
const ENDED: readonly JobState[] = ['done', 'failed', 'cancelled']

export function jobsClient(connection: Connection): JobsClient {
  const pathOf = (id: string) => `/jobs/${encodeURIComponent(id)}`
  const act =
    (action: string) =>
    (id: string, asked: WriteOptions = {}) =>
      documentOf<JobDocument>(connection, updating(`${pathOf(id)}/${action}`, {}, asked))
  const read: JobsClient['read'] = (id, asked = {}) => documentOf(connection, reading(pathOf(id), asked))
  return {
    ...listClient<JobObject, unknown>(connection, '/jobs'),
    read,
    async ended(id, { onProgress, signal } = {}) {
      for (let wait = 0; ; wait = WAIT_SECONDS) {
        const job = await read(id, { signal, wait })
        onProgress?.(job.data)
        if (ENDED.includes(job.data.attributes.state)) return job
      }
    },
    async *results(id, { outcome, signal } = {}) {
      const query = outcome === undefined ? '' : `?outcome=${outcome}`
      const call = { method: 'GET', path: `${pathOf(id)}/results${query}`, repeatable: true, signal } as const
      const { body } = await openStream(connection, call)
      let open = ''
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (open + text).split('\n')
        open = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line)
      }
    },
    run: act('run'),
    cancel: act('cancel'),
    undo: act('undo'),
  }
}
