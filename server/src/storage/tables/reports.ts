import type { Reader, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { workspaceTable } from './table.ts'

type StoredReport = {
  workspace_id: string
  id: string
  owner_id: string
  name: string
  shared: number
  /** JSON text: the charts in their order. */
  charts: string
  position: number
  version: number
  created_at: string
  updated_at: string
}

export type ReportRow = StoredReport & { /** Null when the owner has left. */ owner_name: string | null }

export const reportTable = workspaceTable<StoredReport>('reports')

/** The reports that a member sees: their own and the shared ones, in their order. */
export function loadReports(scope: Reader): Promise<ReportRow[]> {
  return sql<ReportRow>`${reportsOf(scope)} and (r.shared = 1 or r.owner_id = ${scope.actor.user_id})
    order by r.position, r.id`.all(scope.db)
}

/** A report of any owner. */
export function findReport(scope: Tenant, id: string): Promise<ReportRow | undefined> {
  return sql<ReportRow>`${reportsOf(scope)} and r.id = ${id}`.one(scope.db)
}

function reportsOf(scope: Tenant): Sql<unknown> {
  return sql`select r.*, u.name as owner_name from reports r
    left join members m on m.workspace_id = r.workspace_id and m.user_id = r.owner_id
    left join users u on u.id = m.user_id where r.workspace_id = ${scope.workspace.id}`
}

export async function countReports(inside: Tenant): Promise<{ reports: number; last: number }> {
  const row = await sql<{ reports: number; last: number }>`
    select count(*) as reports, coalesce(max(position), 0) as last from reports
    where workspace_id = ${inside.workspace.id}`.one(inside.db)
  return row ?? { reports: 0, last: 0 }
}
