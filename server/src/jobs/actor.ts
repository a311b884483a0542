import type { Ability, Role } from '@kith/contract/abilities'
import { roleOf } from '../accounts/members.ts'
import { accessOf } from '../accounts/subscription.ts'
import type { ScopeFacts } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findJobOwner } from '../storage/tables/job-owners.ts'
import type { JobRow } from '../storage/tables/jobs.ts'

/** With whose rights a job runs, or why it cannot. `paused`: not now. */
type JobActor = { facts: ScopeFacts } | { problem: string } | 'paused'

const granted: Readonly<Record<string, readonly Ability[]>> = {
  import: ['read', 'create', 'update'],
  undo: ['read', 'update', 'delete'],
}

/** A job runs with the rights that its creator has at that moment, and with the abilities that its type needs. */
export async function actorOf(db: Db, job: JobRow, { hosted, now }: { hosted: boolean; now: Date }): Promise<JobActor> {
  const owner = await findJobOwner(db, job)
  if (!owner || owner.role === null) return { problem: 'The member who created the job has left the workspace.' }
  if (accessOf(owner, now, hosted) === 'paused') return 'paused'
  const { id, slug, name, fields_version } = owner
  const role: Role = roleOf(owner.role)
  if (role === 'viewer') {
    return { problem: 'The member who created the job is now a viewer, who may not change records.' }
  }
  return {
    facts: {
      workspace: { id, slug, name, fields_version },
      actor: {
        user_id: job.creator_id,
        role,
        abilities: granted[job.type] ?? [],
        token_id: job.token_id,
        source: 'import',
      },
    },
  }
}
