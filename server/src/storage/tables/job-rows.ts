import type { Outcome } from '@kith/contract/jobs'
import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { prune } from './purge.ts'

/** The result of one row of a job. */
export type ResultRow = {
  row: number
  outcome: Outcome
  record_id: string | null
  /** Of the record, after the row was done. */
  updated_at: string | null
  message: string | null
  /** JSON. */
  errors: string | null
  /** JSON: a failed row as it was. */
  source: string | null
  /** JSON: what the row has changed, as it was before. */
  before: string | null
}

const COLUMNS = ['row', 'outcome', 'record_id', 'updated_at', 'message', 'errors', 'source', 'before'] as const

const target = {
  table: 'job_rows',
  columns: columnsOf(['workspace_id', 'job_id', ...COLUMNS, 'undone'], ['row', 'undone']),
}

export async function insertResults(inside: Scope, jobId: string, rows: readonly ResultRow[]): Promise<void> {
  const values = rows.map((row) => [inside.workspace.id, jobId, ...COLUMNS.map((name) => row[name]), 0])
  await inside.engine.insertRows(inside.db, target, values)
}

type ResultPage = { after: number; outcome: Outcome | undefined; limit: number }

export function loadResults(scope: Scope, jobId: string, { after, outcome, limit }: ResultPage): Promise<ResultRow[]> {
  const matching = outcome === undefined ? sql`` : sql`and r.outcome = ${sql.lit(outcome)}`
  return sql<ResultRow>`${resultsOf(scope, jobId)} and r."row" > ${after} ${matching}
    order by r."row" limit ${sql.unseen(limit)}`.all(scope.db)
}

function resultsOf({ workspace }: Scope, jobId: string): Sql<unknown> {
  const columns = COLUMNS.map((name) => `r."${name}"`).join(', ')
  return sql`select ${sql.raw(columns)} from job_rows r where r.workspace_id = ${workspace.id} and r.job_id = ${jobId}`
}

const CHANGED = sql`r.outcome in ('created', 'updated')`

/** The last rows before one that changed a record and are not undone, the last first. */
export function loadUndoable(scope: Scope, jobId: string, page: { before: number; limit: number }) {
  return sql<ResultRow>`${resultsOf(scope, jobId)} and r."row" < ${page.before} and ${CHANGED} and r.undone = 0
    order by r."row" desc limit ${sql.unseen(page.limit)}`.all(scope.db)
}

/** All rows of a job that changed these records, in order. */
export async function loadRowsOf(scope: Scope, jobId: string, recordIds: readonly string[]): Promise<ResultRow[]> {
  if (recordIds.length === 0) return []
  return sql<ResultRow>`${resultsOf(scope, jobId)} and r.record_id in (${sql.join(recordIds)}) and ${CHANGED}
    order by r."row"`.all(scope.db)
}

export async function markRowsUndone(inside: Scope, jobId: string, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`update job_rows set undone = 1 where workspace_id = ${inside.workspace.id} and job_id = ${jobId}
    and outcome in ('created', 'updated') and record_id in (${sql.join(recordIds)})`.run(inside.db)
}

/** Deletes some results of a job; false when there are none left. */
export function pruneResults(engine: Engine, workspaceId: string, jobId: string): Promise<boolean> {
  return prune(engine, workspaceId, { table: 'job_rows', key: 'job_id, "row"', which: sql`job_id = ${jobId}` })
}

/** How many rows of a job changed a record and are not undone. */
export function countUndoable(scope: Scope, jobId: string): Promise<number> {
  return sql`select count(*) as total from job_rows r where r.workspace_id = ${scope.workspace.id}
    and r.job_id = ${jobId} and ${CHANGED} and r.undone = 0`.count(scope.db)
}

/** A value that a row of a dry run claims, and the record that the row would write. */
export type JobClaim = { claim: string; record_id: string; row: number }

const into = {
  table: 'job_claims',
  columns: columnsOf(['workspace_id', 'job_id', 'claim', 'record_id', 'row'], ['row']),
}

export async function insertJobClaims(inside: Scope, jobId: string, claims: readonly JobClaim[]): Promise<void> {
  if (claims.length === 0) return
  const rows = claims.map(({ claim, record_id, row }) => [inside.workspace.id, jobId, claim, record_id, row])
  await inside.engine.insertRows(inside.db, into, rows)
}

/** A statement has a limited number of values. */
const PART = 5000

/** Those of the claims that earlier rows have. */
export async function findJobClaims(
  inside: Scope,
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

/** The jobs of a workspace that have ended and still have claims. */
export function findClaimingJobs({ db }: Engine, workspaceId: string): Promise<string[]> {
  return sql<string>`select j.id from jobs j where j.workspace_id = ${workspaceId} and j.finished_at is not null
    and j.dry_run = 1 and exists (select 1 from job_claims c where c.workspace_id = j.workspace_id and c.job_id = j.id)
    order by j.id`.column(db)
}

/** Deletes some claims of a job; false when there are none left. */
export function pruneJobClaims(engine: Engine, workspaceId: string, jobId: string): Promise<boolean> {
  return prune(engine, workspaceId, { table: 'job_claims', key: 'job_id, claim', which: sql`job_id = ${jobId}` })
}
