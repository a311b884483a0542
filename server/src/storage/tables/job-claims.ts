import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

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

const BATCH = 1000

/** Deletes some claims of a job; false when there are none left. */
export async function pruneJobClaims(engine: Engine, workspaceId: string, jobId: string): Promise<boolean> {
  const own = sql`workspace_id = ${workspaceId} and job_id = ${jobId}`
  const deleted = await sql`delete from job_claims where ${own} and claim in (
    select claim from job_claims where ${own} order by claim limit ${sql.lit(BATCH)})`.run(engine.single)
  return deleted === BATCH
}
