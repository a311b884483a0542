import type { JobState } from '@kith/contract/jobs'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

export type JobRow = {
  workspace_id: string
  id: string
  type: string
  resource: ResourceName
  state: JobState
  dry_run: number
  mode: string | null
  match: string | null
  /** JSON. */
  mapping: string | null
  name: string | null
  /** JSON: what only the job's type reads. */
  settings: string
  file_id: string | null
  /** JSON: what was found out about the file when it was sent. */
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

export async function insertJob(inside: Scope, job: JobRow): Promise<void> {
  await sql`insert into jobs ${sql.values(job)}`.run(inside.db)
}

/** Jobs that wait for a file longer than this are gone, also before the upkeep deletes them. */
type Since = { waiting_since: string }

const kept = ({ waiting_since }: Since) => sql`(j.state <> 'waiting' or j.created_at > ${waiting_since})`

/** Locks the job until the transaction ends. */
export function lockJob(inside: Scope, id: string, since: Since): Promise<JobRow | undefined> {
  const lock = sql.raw(inside.engine.concurrentWrites ? 'for update' : '')
  return sql<JobRow>`${jobNamed(inside, id)} and ${kept(since)} ${lock}`.one(inside.db)
}

export function findJob(scope: Scope, id: string, since: Since): Promise<JobRow | undefined> {
  return sql<JobRow>`${jobNamed(scope, id)} and ${kept(since)}`.one(scope.db)
}

function jobNamed({ workspace }: Scope, id: string): Sql<unknown> {
  return sql`select j.* from jobs j where j.workspace_id = ${workspace.id} and j.id = ${id}`
}

type JobPage = Since & { creator_id: string | undefined; limit: number; offset: number }

/** One page of the jobs, of one creator or of all, the latest first, and their total. */
export async function loadJobs(scope: Scope, page: JobPage): Promise<{ rows: JobRow[]; total: number }> {
  const own = page.creator_id === undefined ? sql`` : sql`and j.creator_id = ${page.creator_id}`
  const from = sql`from jobs j where j.workspace_id = ${scope.workspace.id} and ${kept(page)} ${own}`
  const some = sql<JobRow>`select j.* ${from} order by j.id desc limit ${page.limit} offset ${page.offset}`
  return { rows: await some.all(scope.db), total: await sql`select count(*) as total ${from}`.count(scope.db) }
}

/** How many jobs have not ended. */
export function countOpenJobs({ db, workspace }: Scope, since: Since): Promise<number> {
  return sql`select count(*) as total from jobs j where j.workspace_id = ${workspace.id}
    and j.state in ('waiting', 'queued', 'running') and ${kept(since)}`.count(db)
}

/** The undo of a job, unless it failed or was cancelled. */
export function findUndo({ db, workspace }: Scope, id: string): Promise<JobRow | undefined> {
  return sql<JobRow>`select j.* from jobs j where j.workspace_id = ${workspace.id} and j.undo_of = ${id}
    and j.state not in ('failed', 'cancelled') order by j.id desc limit 1`.one(db)
}

export async function replaceJob(inside: Scope, id: string, changes: Partial<JobRow>): Promise<void> {
  await sql`update jobs set ${sql.set(changes)}
    where workspace_id = ${inside.workspace.id} and id = ${id}`.run(inside.db)
}

type Lease = { by: string; now: string; until: string }

/**
 * Takes the oldest job that no node runs. A workspace runs one job at a time, so that its jobs do not keep others
 * waiting. Reads first, so that nothing writes when there is none.
 */
export async function leaseJob(engine: Engine, { by, now, until }: Lease): Promise<JobRow | undefined> {
  const others = sql`select 1 from jobs o where o.workspace_id = j.workspace_id and o.state = 'running'
    and o.leased_until >= ${now} and o.id <> j.id`
  const found = sql`select j.workspace_id, j.id from jobs j where j.state in ('queued', 'running')
    and (j.leased_until is null or j.leased_until < ${now}) and not exists (${others}) order by j.id limit 1`
  if (!(await found.exists(engine.db))) return undefined
  const lock = sql.raw(engine.concurrentWrites ? 'for update skip locked' : '')
  return sql<JobRow>`update jobs set state = 'running', leased_by = ${by}, leased_until = ${until},
    started_at = coalesce(started_at, ${now}) where (workspace_id, id) in (${found} ${lock}) returning *`.one(
    engine.single,
  )
}

/** Keeps the lease. False if another node has it, or the job has ended. */
export async function renewLease(engine: Engine, job: JobRow, until: string): Promise<boolean> {
  const kept = await sql`update jobs set leased_until = ${until} where workspace_id = ${job.workspace_id}
    and id = ${job.id} and state = 'running' and leased_by = ${job.leased_by}`.run(engine.single)
  return kept > 0
}

/** Leaves a job to any node, at once. */
export async function releaseLease(engine: Engine, job: JobRow): Promise<void> {
  await sql`update jobs set leased_until = null where workspace_id = ${job.workspace_id}
    and id = ${job.id} and leased_by = ${job.leased_by}`.run(engine.single)
}

/** Leaves all running jobs to any node. A node that still runs one notices with its next step. */
export async function freeLeases(engine: Engine): Promise<void> {
  const leased = sql`select 1 from jobs where state = 'running' and leased_until is not null`
  if (!(await leased.exists(engine.db))) return
  await sql`update jobs set leased_until = null where state = 'running'`.run(engine.single)
}

type Old = { waiting_since: string; ended_before: string }

/** Some of the jobs of a workspace that are no longer kept. */
export function findOldJobs(db: Db, workspaceId: string, { waiting_since, ended_before }: Old): Promise<string[]> {
  return sql<string>`select id from jobs where workspace_id = ${workspaceId} and (
    (state = 'waiting' and created_at <= ${waiting_since}) or finished_at <= ${ended_before}) order by id limit 10`.column(
    db,
  )
}

export async function deleteJob(engine: Engine, workspaceId: string, id: string): Promise<void> {
  await sql`delete from jobs where workspace_id = ${workspaceId} and id = ${id}`.run(engine.single)
}

/** A file belongs to a workspace. Its pieces are text, which every copy of the database can hold. */
type FileName = { workspace_id: string; file_id: string }

/** Each piece is stored by itself: a file is larger than a transaction should be. */
export async function insertPiece(engine: Engine, name: FileName, piece: { piece: number; content: string }) {
  await sql`insert into job_files ${sql.values({ ...name, ...piece })}`.run(engine.single)
}

export function findPiece({ db, workspace }: Scope, fileId: string, piece: number): Promise<string | undefined> {
  return sql<string>`select content from job_files
    where workspace_id = ${workspace.id} and file_id = ${fileId} and piece = ${piece}`.value(db)
}

/** Files that no job needs: unfinished uploads from before an id, and those of jobs that ended before a time. */
export function findOldFiles(
  engine: Engine,
  workspaceId: string,
  { first_id, ended_before }: { first_id: string; ended_before: string },
): Promise<string[]> {
  const needed = sql`select 1 from jobs j where j.workspace_id = f.workspace_id and j.file_id = f.file_id
    and (j.finished_at is null or j.finished_at > ${ended_before})`
  return sql<string>`select f.file_id from job_files f where f.workspace_id = ${workspaceId} and f.piece = 0
    and f.file_id < ${first_id} and not exists (${needed}) order by f.file_id`.column(engine.db)
}

/** Deletes a file piece by piece. The first piece goes last, so that an interrupted deletion is found again. */
export async function deleteFile(engine: Engine, { workspace_id, file_id }: FileName): Promise<void> {
  const last = sql`select max(piece) from job_files where workspace_id = ${workspace_id} and file_id = ${file_id}`
  for (let piece = await last.count(engine.db); piece >= 0; piece -= PIECES) {
    await sql`delete from job_files where workspace_id = ${workspace_id} and file_id = ${file_id}
      and piece > ${piece - PIECES}`.run(engine.single)
  }
}

const PIECES = 50
