import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import type { JobRow } from './jobs.ts'
import type { WorkspaceRow } from './workspaces.ts'

type JobOwner = WorkspaceRow & { role: string | null }

/** The workspace of a job, unless it is deleted, and the role of the job's creator, null after the member has left. */
export function findJobOwner(db: Db, { workspace_id, creator_id }: JobRow): Promise<JobOwner | undefined> {
  return sql<JobOwner>`select w.*, m.role from workspaces w
    left join members m on m.workspace_id = w.id and m.user_id = ${creator_id}
    where w.id = ${workspace_id} and w.slug < '~'`.one(db)
}
