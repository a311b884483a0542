import { setTimeout as pause } from 'node:timers/promises'
import { firstIdAt } from '@kith/contract/id'
import {
  AUDIT_DAYS,
  CURSOR_HOURS,
  DAY_MS,
  HOUR_MS,
  IDEMPOTENCY_HOURS,
  JOB_DAYS,
  JOB_FILE_HOURS,
  JOB_WAITING_HOURS,
  UNUSED_CLIENT_HOURS,
} from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { restorableSince } from '../records/trash/trash.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { deleteExpiredAudit, deleteExpiredValues } from '../storage/tables/audit-log.ts'
import { deleteExpiredChanges } from '../storage/tables/changes.ts'
import {
  closeMerges,
  deleteClosedWorkspace,
  deleteExpiredRows,
  deleteForGood,
  deleteIdleSessions,
  deleteSomeRecords,
  deleteUnusedClients,
  deleteUsedCodes,
  findExpiredMerges,
  findExpiredRecords,
  loadClosedWorkspaces,
} from '../storage/tables/expiry.ts'
import { deleteExpiredKeys } from '../storage/tables/idempotency-keys.ts'
import {
  deleteFile,
  deleteJob,
  deleteSomeClaims,
  deleteSomeResults,
  findClaimingJobs,
  findOldFiles,
  findOldJobs,
} from '../storage/tables/jobs.ts'
import { deleteExpiredMoves } from '../storage/tables/records.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'

/** Deletes sessions that were not used for this many hours; 0 keeps them until they expire. */
export async function endIdleSessions(engine: Engine, at: Date, hours: number): Promise<void> {
  if (hours > 0) await deleteIdleSessions(engine, new Date(at.getTime() - hours * HOUR_MS).toISOString())
}

/**
 * Expires the earlier positions of records that no valid cursor can need. One hour more, because the clocks of nodes
 * differ a little.
 */
export function expireMoves(engine: Engine, at: Date): Promise<void> {
  return deleteExpiredMoves(engine, new Date(at.getTime() - (CURSOR_HOURS + 1) * HOUR_MS).toISOString())
}

/** Expires the stored responses of idempotency keys a day after the first request. */
export async function expireKeys(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = new Date(at.getTime() - IDEMPOTENCY_HOURS * HOUR_MS).toISOString()
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    while (!isStopped() && (await deleteExpiredKeys(engine, workspaceId, before)));
  }
}

/**
 * Anyone may register a client. Expires clients that no member has connected within a day; they must register again.
 */
export function expireClients(engine: Engine, at: Date): Promise<void> {
  return deleteUnusedClients(engine, new Date(at.getTime() - UNUSED_CLIENT_HOURS * HOUR_MS).toISOString())
}

/**
 * Permanently deletes records after 30 days in the trash, the rows of deleted workspaces, and expired codes, clients,
 * merges, audit entries and values before changes, in small batches.
 */
export async function expireOldRows(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = restorableSince({ now: () => at })
  for (const resource of resourceNames) {
    const find = () => findExpiredRecords(engine.db, resource, before)
    await expireFound(find, (found) => deleteForGood(engine, resource, { ...found, before }), isStopped)
  }
  const findMerges = () => findExpiredMerges(engine.db, before)
  await expireFound(findMerges, (found) => closeMerges(engine, { ...found, before }), isStopped)
  await expireClosedWorkspaces(engine, isStopped)
  await deleteUsedCodes(engine, new Date(at.getTime() - DAY_MS).toISOString())
  if (!isStopped()) await deleteExpiredRows(engine, at.toISOString())
  if (!isStopped()) await expireClients(engine, at)
  const firstKept = firstIdAt(at.getTime() - AUDIT_DAYS * DAY_MS)
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    while (!isStopped() && (await deleteExpiredAudit(engine, workspaceId, firstKept)));
    while (!isStopped() && (await deleteExpiredValues(engine, workspaceId, firstIdAt(Date.parse(before)))));
  }
}

/** Permanently deletes the remaining rows of deleted workspaces. */
export async function expireClosedWorkspaces(engine: Engine, isStopped: () => boolean): Promise<void> {
  for (const workspace of await loadClosedWorkspaces(engine.db)) {
    while (!isStopped() && (await deleteSomeRecords(engine, workspace)));
    if (!isStopped()) await deleteClosedWorkspace(engine, workspace)
  }
}

/** Expires what a search finds, in batches of several workspaces. */
async function expireFound(
  find: () => ReturnType<typeof findExpiredMerges>,
  expire: (found: Awaited<ReturnType<typeof findExpiredMerges>>[number]) => Promise<void>,
  isStopped: () => boolean,
): Promise<void> {
  let last = ''
  while (!isStopped()) {
    const found = await find()
    const first = found[0]?.ids[0] ?? ''
    // A row that is found twice could not be deleted. The next day tries again.
    if (first === '' || first === last) return
    last = first
    for (const one of found) await expire(one)
  }
}

/**
 * Expires jobs without a file after an hour, ended jobs after 30 days, and files a day after the end of their last job,
 * or an hour after an upload that no job uses. Also expires the claims of ended dry runs.
 */
export async function expireJobs(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = (ms: number) => new Date(at.getTime() - ms).toISOString()
  const old = { waiting_since: before(JOB_WAITING_HOURS * HOUR_MS), ended_before: before(JOB_DAYS * DAY_MS) }
  const files = {
    first_id: firstIdAt(at.getTime() - JOB_WAITING_HOURS * HOUR_MS),
    ended_before: before(JOB_FILE_HOURS * HOUR_MS),
  }
  for (const workspace_id of await loadWorkspaceIds(engine.db)) {
    await expireClaims(engine, workspace_id, isStopped)
    await expireOldJobs(engine, workspace_id, { old, isStopped })
    for (const file_id of await findOldFiles(engine, workspace_id, files)) {
      if (!isStopped()) await deleteFile(engine, { workspace_id, file_id })
    }
  }
}

async function expireClaims(engine: Engine, workspaceId: string, isStopped: () => boolean): Promise<void> {
  for (const id of await findClaimingJobs(engine, workspaceId)) {
    while (!isStopped() && (await deleteSomeClaims(engine, workspaceId, id)));
  }
}

async function expireOldJobs(
  engine: Engine,
  workspaceId: string,
  { old, isStopped }: { old: Parameters<typeof findOldJobs>[2]; isStopped(): boolean },
): Promise<void> {
  while (!isStopped()) {
    const ids = await findOldJobs(engine.db, workspaceId, old)
    if (ids.length === 0) return
    for (const id of ids) {
      // The job goes last, so that an interrupted deletion is found again.
      while (!isStopped() && (await deleteSomeResults(engine, workspaceId, id)));
      if (!isStopped()) await deleteJob(engine, workspaceId, id)
    }
  }
}

/** Expires the entries of the changes feed that are older than this many days: whole days, oldest first. */
export async function expireChanges(
  engine: Engine,
  at: Date,
  { days, isStopped }: { days: number; isStopped(): boolean },
): Promise<void> {
  const before = `${new Date(at.getTime() - days * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    for (let more = true, took = 0; more && !isStopped(); ) {
      // Leave half of the time to requests, even on a slow disk.
      await pause(took, undefined, { ref: false })
      const begun = performance.now()
      more = await deleteExpiredChanges(engine, workspaceId, before)
      took = performance.now() - begun
    }
  }
}

/** Numbers the changes of workspaces without readers, so that the first reader does not wait for it. */
export async function numberAllChanges(engine: Engine, isStopped: () => boolean): Promise<void> {
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    if (!isStopped()) await engine.numberChanges(workspaceId)
  }
}
