import { setTimeout as pause } from 'node:timers/promises'
import { CURSOR_HOURS, DAY_MS, HOUR_MS } from '@kith/contract/limits'
import { restorableSince } from '../records/trash/trash.ts'
import type { Engine, NumberedTenant } from '../storage/engines/engine.ts'
import { deleteExpiredChanges } from '../storage/tables/changes.ts'
import {
  closeMerges,
  deleteClosedWorkspace,
  deleteForGood,
  deleteSomeRecords,
  findExpiredMerges,
  findExpiredRecords,
  loadClosedWorkspaces,
  numbersInUse,
} from '../storage/tables/expiry.ts'
import { contentTable } from '../storage/tables/files.ts'
import { deleteExpiredMoves } from '../storage/tables/records.ts'
import { closeResource, findDeletedResources } from '../storage/tables/resources.ts'
import { expireRows, retention } from '../storage/tables/retention.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'

/** Ends sessions that were not used for this many hours; 0 keeps them until they expire. */
export async function endIdleSessions(engine: Engine, at: Date, hours: number): Promise<void> {
  const rows = { table: 'sessions', column: 'updated_at', key: 'id', batch: 500, of: 'installation' } as const
  if (hours > 0) await expireRows(engine, { ...rows, keep: hours * HOUR_MS, every: 'hour' }, { at })
}

/**
 * Expires the earlier positions of records that no valid cursor can need. One hour more, because the clocks of nodes
 * differ a little.
 */
export function expireMoves(engine: Engine, at: Date): Promise<void> {
  return deleteExpiredMoves(engine, new Date(at.getTime() - (CURSOR_HOURS + 1) * HOUR_MS).toISOString())
}

/** Expires the rows that `retention` lists: all, or those that expire every hour. */
export async function expireListed(
  engine: Engine,
  at: Date,
  { isStopped = () => false, every = 'day' }: { isStopped?: () => boolean; every?: 'hour' | 'day' } = {},
): Promise<void> {
  for (const rows of retention) {
    if (!isStopped() && (every === 'day' || rows.every === 'hour')) await expireRows(engine, rows, { at, isStopped })
  }
}

/** Expires records after 30 days in the trash, merges, the rows of deleted workspaces, and all rows that are listed. */
export async function expireOldRows(engine: Engine, at: Date, isStopped: () => boolean = () => false): Promise<void> {
  const before = restorableSince({ now: () => at })
  for (const resource of await numbersInUse(engine.db)) {
    const find = () => findExpiredRecords(engine.db, resource, before)
    await expireFound(find, (found) => deleteForGood(engine, resource, { ...found, before }), isStopped)
  }
  const findMerges = () => findExpiredMerges(engine.db, before)
  await expireFound(findMerges, (found) => closeMerges(engine, { ...found, before }), isStopped)
  await expireDeleted(engine, isStopped)
  await expireListed(engine, at, { isStopped })
}

/** Expires the remaining rows of deleted workspaces and resources, in small steps. */
export async function expireDeleted(engine: Engine, isStopped: () => boolean): Promise<void> {
  for (const workspace of await loadClosedWorkspaces(engine.db)) {
    for (const resource of await numbersInUse(engine.db))
      await expireRecords(engine, { workspace, resource, isStopped })
    // The upkeep removes the contents of its files first, or nobody would find them again.
    const isEmpty = !(await contentTable.has({ db: engine.db, workspace }))
    if (!isStopped() && isEmpty) await deleteClosedWorkspace(engine, workspace)
  }
  for (const { workspace, number } of await findDeletedResources(engine.db)) {
    await expireRecords(engine, { workspace, resource: number, isStopped })
    if (!isStopped()) await closeResource(engine, workspace, number)
  }
}

async function expireRecords(
  engine: Engine,
  {
    workspace,
    resource,
    isStopped,
  }: { workspace: NumberedTenant['workspace']; resource: number; isStopped: () => boolean },
): Promise<void> {
  while (!isStopped() && (await deleteSomeRecords(engine, workspace, resource)));
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
