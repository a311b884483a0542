import { reportUnknown } from '@kith/contract/answer-options'
import { csvLine } from '@kith/contract/csv/csv-line'
import { newId, parseId } from '@kith/contract/id'
import type { CellSettings, ImportFormat, ImportMode, Mapping } from '@kith/contract/import/settings'
import { boundedReport, type Report } from '@kith/contract/issue'
import { type Job, type JobState, job, type NamedCounts, type Outcome, outcomes } from '@kith/contract/jobs'
import { HOUR_MS, JOB_WAITING_HOURS, JOBS_OPEN_MAX } from '@kith/contract/limits'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseWait } from '@kith/contract/parse-wait'
import { parseWord } from '@kith/contract/parse-word'
import { roleMay } from '@kith/contract/permissions'
import { parseOrRefuse, refuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { shownOf } from '@kith/contract/shape'
import type { RunStep } from '../leases/step.ts'
import type { RawParameters } from '../records/expected.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Runtime, type Scope } from '../scope/scope.ts'
import {
  countOpenJobs,
  findJob,
  type JobRow,
  jobTable,
  loadJobs,
  loadResultSizes,
  loadResults,
  lockJob,
  type ResultRow,
} from '../storage/tables/jobs.ts'
import type { FileFacts } from './import/encoding.ts'
import type { RowEntry } from './import/write-entries.ts'

type ImportSettings = CellSettings & {
  format: ImportFormat
  /** Null if the job names none. */
  delimiter: string | null
  create_options: boolean
  create_related: boolean
  /** Of a dry run, so far. */
  named?: NamedCounts
}

/** The job with an id, if the caller may see it. */
export async function requireJob(scope: Scope, id: string): Promise<JobRow> {
  return visible(scope, id, await findJob(scope, parseId(id) ?? '', keptSince(scope)))
}

/** Like `requireJob`, locked until the transaction ends. */
export async function requireLockedJob(inside: Scope, id: string): Promise<JobRow> {
  return visible(inside, id, await lockJob(inside, parseId(id) ?? '', keptSince(inside)))
}

/** Jobs of others look like jobs that do not exist. */
function visible({ actor }: Scope, id: string, job: JobRow | undefined): JobRow {
  if (job && (job.creator_id === actor.user_id || seesAllJobs(actor))) return job
  return refuseUnknownId('job', id)
}

function seesAllJobs({ role }: Pick<Scope['actor'], 'role'>): boolean {
  return roleMay(role, 'see_all_jobs')
}

/** A job without a file expires after an hour. It is hidden at once, even if it is deleted later. */
export function keptSince({ now }: Pick<Scope, 'now'>): { waiting_since: string } {
  return { waiting_since: new Date(now().getTime() - JOB_WAITING_HOURS * HOUR_MS).toISOString() }
}

export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

export function settingsOf({ settings }: JobRow): ImportSettings {
  // Written by newImport.
  return JSON.parse(settings)
}

/** Every import has a mode. */
export function modeOf({ mode }: JobRow): ImportMode {
  return mode ?? 'create'
}

export function mappingOf({ mapping }: JobRow): Mapping {
  // Written by newImport.
  return mapping === null ? {} : JSON.parse(mapping)
}

export function fileFactsOf({ file_facts }: JobRow): FileFacts {
  if (file_facts === null) throw new Error('The job has no file.')
  // Written by takeFile.
  return JSON.parse(file_facts)
}

export type JobObject = { id: string; type: 'jobs'; attributes: Job }

export function presentJob(row: JobRow): JobObject {
  const { rows, done, created, updated, unchanged, failed } = row
  const attributes = shownOf(job, {
    ...row,
    dry_run: row.dry_run === 1,
    mapping: row.mapping === null ? null : mappingOf(row),
    ...namedIn(row),
    progress: { rows, done, created, updated, unchanged, failed },
  })
  return { id: row.id, type: 'jobs', attributes }
}

function namedIn(row: JobRow): { named?: NamedCounts } {
  const { named } = settingsOf(row)
  return row.dry_run === 1 && named ? { named } : {}
}

const RETRY_AFTER_SECONDS = 5

/** Stores a new job of the actor, unless the workspace has too many unfinished ones. */
export async function newJob(
  inside: Scope,
  given: Pick<JobRow, 'type' | 'resource' | 'state'> & Partial<JobRow>,
): Promise<JobRow> {
  const { workspace, actor } = inside
  // Lock, so that concurrent requests count each other's jobs.
  await inside.engine.lock(inside.db, [`jobs ${workspace.id}`])
  if ((await countOpenJobs(inside, keptSince(inside))) >= JOBS_OPEN_MAX) refuseMore()
  const now = inside.now()
  const counts = { rows: 0, done: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }
  return jobTable.create(inside, {
    id: newId(now.getTime()),
    dry_run: 0,
    settings: '{}',
    ...counts,
    created_at: now.toISOString(),
    creator_id: actor.user_id,
    token_id: actor.token_id,
    ...given,
  })
}

function refuseMore(): never {
  const message =
    `The workspace has ${JOBS_OPEN_MAX} jobs that are waiting, queued or running, and cannot have more. ` +
    'Retry when one of them has ended, or cancel one.'
  return refuse({ kind: 'rate_limited', message, retry_after: RETRY_AFTER_SECONDS })
}

/** A page of the jobs that the caller may see, latest first. */
export async function listJobs(scope: Scope, asked: RawParameters): Promise<PageOf<JobObject> & { wait: number }> {
  requireAbilities(scope, ['read'])
  const { page, per_page, wait } = parseOrRefuse(asked.issues, (report) => ({
    ...parsePageQuery(asked.raw, ['wait'], report),
    wait: parseWait(asked.raw.wait, report),
  }))
  const creator_id = seesAllJobs(scope.actor) ? undefined : scope.actor.user_id
  return inSnapshot(scope, async (inside) => {
    const limits = { limit: per_page, offset: (page - 1) * per_page }
    const { rows, total } = await loadJobs(inside, { ...keptSince(inside), creator_id, ...limits })
    return { data: rows.map(presentJob), page, per_page, total, wait }
  })
}

/** One job. `wait` is 0 once it has ended, because it no longer changes. */
export async function readJob(
  scope: Scope,
  { id, asked }: { id: string; asked: RawParameters },
): Promise<{ data: JobObject; wait: number }> {
  requireAbilities(scope, ['read'])
  const job = await requireJob(scope, id)
  const wait = parseOrRefuse(asked.issues, (report) => {
    reportUnknown(asked.raw, ['wait'], boundedReport(report))
    return parseWait(asked.raw.wait, report)
  })
  return { data: presentJob(job), wait: hasEnded(job.state) ? 0 : wait }
}

/** The steps of jobs, with their inputs. */
export type JobSteps = {
  'import-rows': { done: number; entries: readonly RowEntry[] }
  'add-options': { options: { code: string; labels: string[] }[] }
  'undo-rows': { limit?: number; failure?: string }
  finish: object
  fail: { message: string }
}

export type JobContext = {
  job: JobRow
  /** Aborted when the job must stop in this process. */
  stopped: AbortSignal
  /** A scope with the rights of the job's creator. Undefined if the job has ended because the creator has none. */
  scope(): Promise<Scope | undefined>
  /** Runs a step in one transaction, with the job's progress. Undefined if the job must stop. */
  step<Name extends keyof JobSteps>(handler: Name, input: JobSteps[Name]): Promise<StepReply | undefined>
  /**
   * Like `step`, for a step that may fail with an internal error: tries it `most` times. The job continues if it is
   * `broken`.
   */
  attempt<Name extends keyof JobSteps>(
    handler: Name,
    input: JobSteps[Name],
    most?: number,
  ): Promise<StepReply | 'broken' | undefined>
}

/** Runs a job of a type until it has ended, or `stopped` is aborted. */
export type JobType = (context: JobContext) => Promise<void>

export type WorkerParts = {
  runtime: Runtime
  runStep: RunStep
  hosted: boolean
  onFailure(error: unknown): void
}

/** `held`: whether this node still has the lease. `done`: how many rows are done, including earlier steps. */
export type StepReply = { held: boolean; done: number }

/** A step, in the transaction that has locked the job. Returns the changes of the job. */
export type JobTransaction<Name extends keyof JobSteps> = (
  inside: Scope,
  job: JobRow,
  input: JobSteps[Name],
) => Promise<Partial<JobRow>>

/** How many results are read at a time, and how many characters they have together. */
const PART = 1000
const PART_CHARACTERS = 1024 * 1024

const FORMATS = ['ndjson', 'csv'] as const

type ResultFormat = (typeof FORMATS)[number]

/** The results of a job row by row, or its failed rows in their original form. */
export async function readResults(
  scope: Scope,
  { id, asked, after }: { id: string; asked: RawParameters; after: number },
): Promise<{ text: string; format: ResultFormat; next: number | null }> {
  requireAbilities(scope, ['read'])
  const job = await requireJob(scope, id)
  const { format, outcome } = parseOrRefuse(asked.issues, (report) => parseAsked(asked, report))
  if (format === 'csv') refuseUnlessCsv(job)
  const wanted = format === 'csv' ? 'failed' : outcome
  const sizes = await loadResultSizes(scope, job.id, { after, outcome: wanted, limit: PART })
  const limit = countInPart(sizes)
  const rows = await loadResults(scope, job.id, { after, outcome: wanted, limit })
  const lines = rows.map(format === 'csv' ? failedLine : resultLine)
  const head = format === 'csv' && after === 0 ? csvLine([...headerOf(job), 'errors']) : ''
  return {
    text: head + lines.join(''),
    format,
    next: limit < sizes.length || sizes.length === PART ? (rows.at(-1)?.row ?? null) : null,
  }
}

/** How many results fit into a part: at least one. */
function countInPart(sizes: readonly number[]): number {
  let left = PART_CHARACTERS
  const end = sizes.findIndex((size, index) => {
    left -= size
    return left < 0 && index > 0
  })
  return end === -1 ? PART : end
}

function parseAsked({ raw }: RawParameters, report: Report): { format: ResultFormat; outcome: Outcome | undefined } {
  reportUnknown(raw, ['format', 'outcome'], boundedReport(report))
  const format = parseWord(raw.format, { name: 'format', words: FORMATS }, report) ?? 'ndjson'
  const outcome = parseWord(raw.outcome, { name: 'outcome', words: outcomes }, report)
  if (format === 'csv' && outcome !== undefined && outcome !== 'failed') {
    report('outcome', 'The outcome must be failed with format=csv, which shows the failed rows only.')
  }
  return { format, outcome }
}

function refuseUnlessCsv(job: JobRow): void {
  if (job.type === 'import' && settingsOf(job).format === 'csv') return
  refuseValue('format', 'The format csv shows the rows of a CSV file, which this job does not have.')
}

function headerOf(job: JobRow): readonly string[] {
  return job.file_facts === null ? [] : fileFactsOf(job).columns
}

function resultLine({ row, outcome, record_id, message, errors }: ResultRow): string {
  // Written by the worker.
  const shown = { row, outcome, id: record_id, message, errors: errors === null ? null : JSON.parse(errors) }
  return `${JSON.stringify(shown)}\n`
}

function failedLine({ source, message, errors }: ResultRow): string {
  const cells: string[] = source === null ? [] : JSON.parse(source)
  const all: Record<string, string[]> = errors === null ? {} : JSON.parse(errors)
  const texts = Object.values(all).flat()
  return csvLine([...cells, texts.length > 0 ? texts.join(' ') : (message ?? '')])
}
