import { setTimeout as pause } from 'node:timers/promises'
import { firstIdAt } from '@kith/contract/id'
import {
  AUDIT_DAYS,
  DAY_MS,
  HOUR_MS,
  IDEMPOTENCY_HOURS,
  JOB_DAYS,
  JOB_FILE_HOURS,
  JOB_WAITING_HOURS,
  UNUSED_CLIENT_HOURS,
  WALK_HOURS,
} from '@kith/contract/limits'
import { restorableSince } from '../records/trash/trash.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { pruneAudit } from '../storage/tables/audit-log.ts'
import { pruneChanges } from '../storage/tables/changes.ts'
import { pruneKeys } from '../storage/tables/idempotency-keys.ts'
import { findClaimingJobs, pruneJobClaims, pruneResults } from '../storage/tables/job-rows.ts'
import { deleteFile, deleteJob, findOldFiles, findOldJobs } from '../storage/tables/jobs.ts'
import { pruneMoves } from '../storage/tables/key-moves.ts'
import { type LockedTable, lockOrder } from '../storage/tables/lock-rows.ts'
import {
  findDoomed,
  loadClosedWorkspaces,
  purge,
  purgeSome,
  purgeWorkspace,
  sweepClients,
  sweepExpired,
  sweepIdleSessions,
  sweepUsedCodes,
} from '../storage/tables/purge.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'

/** Deletes the sessions that were not used for so many hours; 0 keeps them until they expire. */
export async function endIdleSessions(engine: Engine, at: Date, hours: number): Promise<void> {
  if (hours > 0) await sweepIdleSessions(engine, new Date(at.getTime() - hours * HOUR_MS).toISOString())
}

/**
 * Forgets where records stood before any walk that may still go on, and an hour more: the clocks of several nodes
 * differ a little.
 */
export function forgetMoves(engine: Engine, at: Date): Promise<void> {
  return pruneMoves(engine, new Date(at.getTime() - (WALK_HOURS + 1) * HOUR_MS).toISOString())
}

/** Deletes the responses to requests with an idempotency key a day after the first of them. */
export async function forgetKeys(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = new Date(at.getTime() - IDEMPOTENCY_HOURS * HOUR_MS).toISOString()
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    while (!isStopped() && (await pruneKeys(engine, workspaceId, before)));
  }
}

/** Anybody may register a client. One that no member let in within a day is deleted, and has to register again. */
export function forgetClients(engine: Engine, at: Date): Promise<void> {
  return sweepClients(engine, new Date(at.getTime() - UNUSED_CLIENT_HOURS * HOUR_MS).toISOString())
}

/**
 * Deletes for good what has been in the trash for 30 days and what is left of deleted workspaces, ends what has
 * expired, and forgets old merges and entries of the audit log: a few at a time.
 */
export async function putAway(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = restorableSince({ now: () => at })
  for (const table of lockOrder) {
    await purgeOld(engine, table, { before, isStopped })
  }
  await wipeClosed(engine, isStopped)
  await sweepUsedCodes(engine, new Date(at.getTime() - DAY_MS).toISOString())
  if (!isStopped()) await sweepExpired(engine, at.toISOString())
  if (!isStopped()) await forgetClients(engine, at)
  const firstKept = firstIdAt(at.getTime() - AUDIT_DAYS * DAY_MS)
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    while (!isStopped() && (await pruneAudit(engine, workspaceId, firstKept)));
  }
}

/** Deletes for good what is left of deleted workspaces. */
export async function wipeClosed(engine: Engine, isStopped: () => boolean): Promise<void> {
  for (const workspaceId of await loadClosedWorkspaces(engine.db)) {
    while (!isStopped() && (await purgeSome(engine, workspaceId)));
    if (!isStopped()) await purgeWorkspace(engine, workspaceId)
  }
}

type Purging = { before: string; isStopped: () => boolean }

async function purgeOld(engine: Engine, table: LockedTable, { before, isStopped }: Purging): Promise<void> {
  let last = ''
  while (!isStopped()) {
    const found = await findDoomed(engine.db, table, before)
    const first = found[0]?.id ?? ''
    // What is found twice could not be deleted; the next day will tell more.
    if (first === '' || first === last) return
    last = first
    for (const [workspaceId, own] of Map.groupBy(found, (one) => one.workspace_id)) {
      await purge(engine, table, { workspaceId, ids: own.map((one) => one.id), before })
    }
  }
}

/**
 * Deletes jobs whose file has not come within an hour, jobs that ended 30 days ago, and files a day after the end of
 * their last job, or an hour after an upload that no job took. Also what dry runs have claimed that have ended.
 */
export async function forgetJobs(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = (ms: number) => new Date(at.getTime() - ms).toISOString()
  const old = { waiting_since: before(JOB_WAITING_HOURS * HOUR_MS), ended_before: before(JOB_DAYS * DAY_MS) }
  const files = {
    first_id: firstIdAt(at.getTime() - JOB_WAITING_HOURS * HOUR_MS),
    ended_before: before(JOB_FILE_HOURS * HOUR_MS),
  }
  for (const workspace_id of await loadWorkspaceIds(engine.db)) {
    await forgetClaims(engine, workspace_id, isStopped)
    await forgetOldJobs(engine, workspace_id, { old, isStopped })
    for (const file_id of await findOldFiles(engine, workspace_id, files)) {
      if (!isStopped()) await deleteFile(engine, { workspace_id, file_id })
    }
  }
}

async function forgetClaims(engine: Engine, workspaceId: string, isStopped: () => boolean): Promise<void> {
  for (const id of await findClaimingJobs(engine, workspaceId)) {
    while (!isStopped() && (await pruneJobClaims(engine, workspaceId, id)));
  }
}

type Forgetting = { old: Parameters<typeof findOldJobs>[2]; isStopped(): boolean }

async function forgetOldJobs(engine: Engine, workspaceId: string, { old, isStopped }: Forgetting): Promise<void> {
  while (!isStopped()) {
    const ids = await findOldJobs(engine.db, workspaceId, old)
    if (ids.length === 0) return
    for (const id of ids) {
      // The job goes last, so that an interrupted deletion is found again.
      while (!isStopped() && (await pruneResults(engine, workspaceId, id)));
      if (!isStopped()) await deleteJob(engine, workspaceId, id)
    }
  }
}

type KeepingChanges = { days: number; isStopped(): boolean }

/** Deletes the entries of the changes feed that are older than so many days: whole days, the oldest first. */
export async function forgetChanges(engine: Engine, at: Date, { days, isStopped }: KeepingChanges): Promise<void> {
  const before = `${new Date(at.getTime() - days * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    for (let more = true, took = 0; more && !isStopped(); ) {
      // Half of the time belongs to requests, also on a slow disk.
      await pause(took, undefined, { ref: false })
      const begun = performance.now()
      more = await pruneChanges(engine, workspaceId, before)
      took = performance.now() - begun
    }
  }
}

/** Gives the changes of workspaces without readers their numbers, so that the first reader does not wait for it. */
export async function numberAllChanges(engine: Engine, isStopped: () => boolean): Promise<void> {
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    if (!isStopped()) await engine.numberChanges(workspaceId)
  }
}
