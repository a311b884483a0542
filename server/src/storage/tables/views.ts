import type { ResourceName } from '@kith/contract/resource'
import type { Reader, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { workspaceTable } from './table.ts'

export type StoredView = {
  workspace_id: string
  id: string
  resource: string
  owner_id: string
  name: string
  shared: number
  /** JSON text that the application owns. */
  state: string
  position: number
  created_at: string
  updated_at: string
}

export type ViewRow = StoredView & { /** Null when the owner has left. */ owner_name: string | null }

export const viewTable = workspaceTable<StoredView>('views')

/** The views that a member sees: their own and the shared ones, in order of resource and position. */
export function loadViews(scope: Reader, resource: ResourceName | undefined): Promise<ViewRow[]> {
  const ofResource = resource === undefined ? sql`` : sql`and v.resource = ${resource}`
  return sql<ViewRow>`${viewsOf(scope)} and (v.shared = 1 or v.owner_id = ${scope.actor.user_id}) ${ofResource}
    order by v.resource, v.position, v.id`.all(scope.db)
}

/** A view of any owner. */
export function findView(scope: Tenant, id: string): Promise<ViewRow | undefined> {
  return sql<ViewRow>`${viewsOf(scope)} and v.id = ${id}`.one(scope.db)
}

function viewsOf(scope: Tenant): Sql<unknown> {
  return sql`select v.*, u.name as owner_name from views v
    left join members m on m.workspace_id = v.workspace_id and m.user_id = v.owner_id
    left join users u on u.id = m.user_id where v.workspace_id = ${scope.workspace.id}`
}

export async function countViews(inside: Tenant, resource: string): Promise<{ views: number; last: number }> {
  const row = await sql<{ views: number; last: number }>`
    select count(*) as views, coalesce(max(position), 0) as last from views
    where workspace_id = ${inside.workspace.id} and resource = ${resource}`.one(inside.db)
  return row ?? { views: 0, last: 0 }
}
