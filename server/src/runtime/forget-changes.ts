import { setTimeout } from 'node:timers/promises'
import { DAY_MS } from '@kith/contract/limits'
import type { Engine } from '../storage/engines/engine.ts'
import { pruneChanges } from '../storage/tables/change-heads.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'

type Keeping = { days: number; isStopped(): boolean }

/** Deletes the entries of the changes feed that are older than so many days: whole days, the oldest first. */
export async function forgetChanges(engine: Engine, at: Date, { days, isStopped }: Keeping): Promise<void> {
  const before = `${new Date(at.getTime() - days * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`
  for (const workspaceId of await loadWorkspaceIds(engine.db)) {
    for (let more = true, took = 0; more && !isStopped(); ) {
      // Half of the time belongs to requests, also on a slow disk.
      await setTimeout(took, undefined, { ref: false })
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
