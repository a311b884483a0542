import type { Outcome } from '@kith/contract/jobs'
import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

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

const BATCH = 1000

/** Deletes some results of a job; false when there are none left. */
export async function pruneResults(engine: Engine, workspaceId: string, jobId: string): Promise<boolean> {
  const own = sql`workspace_id = ${workspaceId} and job_id = ${jobId}`
  const deleted = await sql`delete from job_rows where ${own} and "row" in (
    select "row" from job_rows where ${own} order by "row" limit ${sql.lit(BATCH)})`.run(engine.single)
  return deleted === BATCH
}

/** How many rows of a job changed a record and are not undone. */
export function countUndoable(scope: Scope, jobId: string): Promise<number> {
  return sql`select count(*) as total from job_rows r where r.workspace_id = ${scope.workspace.id}
    and r.job_id = ${jobId} and ${CHANGED} and r.undone = 0`.count(scope.db)
}
