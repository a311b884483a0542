import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import type { WorkspaceRow } from './workspaces.ts'

type CreatorRow = WorkspaceRow & { role: string | null }

export type Created = { workspace_id: string; creator_id: string }

/** The workspace of a job or webhook, unless it is deleted, and the role of its creator, null after they have left. */
export function findCreator(db: Db, { workspace_id, creator_id }: Created): Promise<CreatorRow | undefined> {
  return sql<CreatorRow>`select w.*, m.role from workspaces w
    left join members m on m.workspace_id = w.id and m.user_id = ${creator_id}
    where w.id = ${workspace_id} and w.slug < '~'`.one(db)
}
