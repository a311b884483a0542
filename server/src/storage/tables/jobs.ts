import type { Job, JobState, Outcome } from '@kith/contract/jobs'
import { DAY_MS, JOB_DAYS } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import type { Engine, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { LeasedTable } from './leases.ts'
import { timeIn } from './places.ts'
import { pageOf, workspaceTable } from './table.ts'

export type JobRow = {
  workspace_id: string
  id: string
  type: Job['type']
  resource: ResourceName
  state: JobState
  dry_run: number
  mode: Job['mode']
  match: string | null
  /** JSON. */
  mapping: string | null
  name: string | null
  /** JSON: settings that only the job's type reads. */
  settings: string
  file_id: string | null
  /** JSON: the facts about the file from its upload. */
  file_facts: string | null
  rows: number
  done: number
  created: number
  updated: number
  unchanged: number
  failed: number
  message: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  undoable_until: string | null
  undo_of: string | null
  creator_id: string
  token_id: string | null
  leased_by: string | null
  leased_until: string | null
}

export const jobTable = workspaceTable<JobRow>('jobs')

/** Jobs that wait for a file longer than this are gone, also before the upkeep deletes them. */
type Since = { waiting_since: string }

const kept = ({ waiting_since }: Since) => sql`(j.state <> 'waiting' or j.created_at > ${waiting_since})`

/** Locks the job until the transaction ends. */
export function lockJob(inside: Tenant, id: string, since: Since): Promise<JobRow | undefined> {
  const lock = sql.raw(inside.engine.concurrentWrites ? 'for update' : '')
  return sql<JobRow>`${jobNamed(inside, id)} and ${kept(since)} ${lock}`.one(inside.db)
}

export function findJob(scope: Tenant, id: string, since: Since): Promise<JobRow | undefined> {
  return sql<JobRow>`${jobNamed(scope, id)} and ${kept(since)}`.one(scope.db)
}

function jobNamed({ workspace }: Tenant, id: string): Sql<unknown> {
  return sql`select j.* from jobs j where j.workspace_id = ${workspace.id} and j.id = ${id}`
}

/** One page of the jobs, of one creator or of all, the latest first, and their total. */
export function loadJobs(
  scope: Tenant,
  page: Since & { creator_id: string | undefined; limit: number; offset: number },
): Promise<{ rows: JobRow[]; total: number }> {
  const own = page.creator_id === undefined ? sql`` : sql`and j.creator_id = ${page.creator_id}`
  const from = sql`from jobs j where j.workspace_id = ${scope.workspace.id} and ${kept(page)} ${own}`
  return pageOf(scope.db, 'j', { ...page, from })
}

/** How many jobs have not ended. */
export function countOpenJobs({ db, workspace }: Tenant, since: Since): Promise<number> {
  return sql`select count(*) as total from jobs j where j.workspace_id = ${workspace.id}
    and j.state in ('waiting', 'queued', 'running') and ${kept(since)}`.count(db)
}

/** The undo of a job, unless it failed or was cancelled. */
export function findUndo({ db, workspace }: Tenant, id: string): Promise<JobRow | undefined> {
  return sql<JobRow>`select j.* from jobs j where j.workspace_id = ${workspace.id} and j.undo_of = ${id}
    and j.state not in ('failed', 'cancelled') order by j.id desc limit 1`.one(db)
}

/** The columns of a job that ends now. It can be undone from the same moment on, if it changed anything. */
export function endOf({ now }: { now(): Date }, job: JobRow) {
  const end = now()
  const canBeUndone = job.type === 'import' && job.dry_run === 0 && job.created + job.updated > 0
  const undoable_until = canBeUndone ? new Date(end.getTime() + JOB_DAYS * DAY_MS).toISOString() : null
  return { finished_at: end.toISOString(), undoable_until, leased_until: null }
}

/** The unfinished jobs of a user, locked until the transaction ends. */
export function lockOpenJobsOf({ engine, db, workspace }: Tenant, creatorId: string): Promise<JobRow[]> {
  const lock = sql.raw(engine.concurrentWrites ? 'for update' : '')
  return sql<JobRow>`select j.* from jobs j where j.workspace_id = ${workspace.id} and j.creator_id = ${creatorId}
    and j.state in ('waiting', 'queued', 'running') order by j.id ${lock}`.all(db)
}

/** A workspace runs one job at a time, so that its jobs do not keep others waiting. */
export const jobLeases: LeasedTable = {
  name: 'jobs',
  isOpen: sql`w.state in ('queued', 'running')`,
  isNext: (engine) => sql`not exists (select 1 from jobs o where o.workspace_id = w.workspace_id
    and o.state = 'running' and o.leased_until >= ${timeIn(engine, 0)} and o.id <> w.id)`,
  begun: (at) => sql`state = 'running', started_at = coalesce(started_at, ${at})`,
  at_once: 1,
}

/** A file belongs to a workspace. Its pieces are text, which every copy of the database can hold. */
type FileName = { workspace_id: string; file_id: string }

/** Each piece is stored by itself: a file is larger than a transaction should be. */
export const pieceTable = workspaceTable<{ file_id: string; piece: number; content: string }>('job_files')

/** Deletes a file piece by piece. The first piece goes last, so that an interrupted deletion is found again. */
export async function deleteFile(engine: Engine, { workspace_id, file_id }: FileName): Promise<void> {
  const last = sql`select max(piece) from job_files where workspace_id = ${workspace_id} and file_id = ${file_id}`
  for (let piece = await last.count(engine.db); piece >= 0; piece -= PIECES) {
    await sql`delete from job_files where workspace_id = ${workspace_id} and file_id = ${file_id}
      and piece > ${piece - PIECES}`.run(engine.single)
  }
}

const PIECES = 50

/** The result of one row of a job. */
export type ResultRow = {
  row: number
  outcome: Outcome
  record_id: string | null
  /** Null if it changed nothing. */
  change_id: string | null
  /** JSON: the records that were created with it because the row names them. */
  missing: string | null
  message: string | null
  /** JSON. */
  errors: string | null
  /** JSON: a failed row as it was. */
  source: string | null
}

const outcome = ['row', 'outcome', 'record_id', 'change_id', 'missing', 'message', 'errors', 'source'] as const

const resultTable = workspaceTable<ResultRow & { job_id: string; undone: number }>('job_rows', {
  columns: ['job_id', ...outcome, 'undone'],
  numbers: ['row', 'undone'],
})

export function insertResults(inside: Tenant, job_id: string, rows: readonly ResultRow[]): Promise<void> {
  return resultTable.insertAll(
    inside,
    rows.map((row) => ({ ...row, job_id, undone: 0 })),
  )
}

export function loadResults(scope: Tenant, jobId: string, which: NextResults): Promise<ResultRow[]> {
  return sql<ResultRow>`${resultsOf(scope, jobId)} ${nextResults(which)}`.all(scope.db)
}

/** How many characters each of the next results has. */
export function loadResultSizes(scope: Tenant, jobId: string, which: NextResults): Promise<number[]> {
  const [source, errors] = [sql`r.source`, sql`r.errors`].map((text) => sql`coalesce(length(${text}), 0)`)
  return sql<number>`select ${source} + ${errors} as size from job_rows r
    where r.workspace_id = ${scope.workspace.id} and r.job_id = ${jobId} ${nextResults(which)}`.column(scope.db)
}

type NextResults = { after: number; outcome: Outcome | undefined; limit: number }

function nextResults({ after, outcome, limit }: NextResults): Sql<unknown> {
  const matching = outcome === undefined ? sql`` : sql`and r.outcome = ${sql.lit(outcome)}`
  return sql`and r."row" > ${after} ${matching} order by r."row" limit ${sql.unseen(limit)}`
}

function resultsOf({ workspace }: Tenant, jobId: string): Sql<unknown> {
  return sql`select r.* from job_rows r where r.workspace_id = ${workspace.id} and r.job_id = ${jobId}`
}

const CHANGED = sql`r.outcome in ('created', 'updated')`

/** The last rows before one that changed a record and are not undone, the last first. */
export function loadUndoable(scope: Tenant, jobId: string, page: { before: number; limit: number }) {
  return sql<ResultRow>`${resultsOf(scope, jobId)} and r."row" < ${page.before} and ${CHANGED} and r.undone = 0
    order by r."row" desc limit ${sql.unseen(page.limit)}`.all(scope.db)
}

/** Marks the rows from one to another, which are undone. */
export async function markRowsUndone(inside: Tenant, jobId: string, rows: { from: number; to: number }): Promise<void> {
  await sql`update job_rows set undone = 1 where workspace_id = ${inside.workspace.id} and job_id = ${jobId}
    and "row" between ${rows.from} and ${rows.to}`.run(inside.db)
}

/** How many rows of a job changed a record and are not undone. */
export function countUndoable(scope: Tenant, jobId: string): Promise<number> {
  return sql`select count(*) as total from job_rows r where r.workspace_id = ${scope.workspace.id}
    and r.job_id = ${jobId} and ${CHANGED} and r.undone = 0`.count(scope.db)
}

/** A value that a row of a dry run claims, and the record that the row would write. */
export type JobClaim = { claim: string; record_id: string; row: number }

const claimTable = workspaceTable<JobClaim & { job_id: string }>('job_claims', {
  columns: ['job_id', 'claim', 'record_id', 'row'],
  numbers: ['row'],
})

export function insertJobClaims(inside: Tenant, job_id: string, claims: readonly JobClaim[]): Promise<void> {
  return claimTable.insertAll(
    inside,
    claims.map((claim) => ({ ...claim, job_id })),
  )
}

/** A statement has a limited number of values. */
const PART = 5000

/** Those of the claims that earlier rows have. */
export async function findJobClaims(
  inside: Tenant,
  jobId: string,
  claims: readonly string[],
): Promise<Map<string, JobClaim>> {
  const found = new Map<string, JobClaim>()
  for (let from = 0; from < claims.length; from += PART) {
    const part = sql.join(claims.slice(from, from + PART))
    const rows = await sql<JobClaim>`select c.claim, c.record_id, c."row" from job_claims c
      where c.workspace_id = ${inside.workspace.id} and c.job_id = ${jobId} and c.claim in (${part})`.all(inside.db)
    for (const row of rows) found.set(row.claim, row)
  }
  return found
}
