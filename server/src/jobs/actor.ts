import type { Ability } from '@kith/contract/abilities'
import { creatorRights } from '../accounts/creator-rights.ts'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import type { JobRow } from '../storage/tables/jobs.ts'

/** With whose rights a job runs, or why it cannot. `paused`: not now. */
type JobActor = { facts: ScopeFacts } | { problem: string } | 'paused'

const granted: Readonly<Record<string, readonly Ability[]>> = {
  import: ['read', 'create', 'update'],
  undo: ['read', 'update', 'delete'],
}

/** A job runs with the rights that its creator has at that moment, and with the abilities that its type needs. */
export async function actorOf(db: Db, job: JobRow, at: { hosted: boolean; now: Date }): Promise<JobActor> {
  const rights = await creatorRights(db, job, at)
  if (rights === 'none') return { problem: 'The member who created the job has left the workspace.' }
  if (rights === 'paused') return 'paused'
  const { workspace, role } = rights
  if (role === 'viewer') {
    return { problem: 'The member who created the job is now a viewer, who may not change records.' }
  }
  const { creator_id: user_id, token_id } = job
  return {
    facts: { workspace, actor: { user_id, role, abilities: granted[job.type] ?? [], token_id, source: 'import' } },
  }
}
