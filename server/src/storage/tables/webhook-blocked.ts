import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/** The oldest undelivered event of a record whose events fail. `feed` as the resource: an event of the feed itself. */
export type BlockedRow = {
  resource: string
  record_id: string
  sequence: number
  /** How many attempts have failed. */
  attempt: number
  due_at: string
  /** The delivery in the log. */
  delivery_id: string | null
}

const names = ['resource', 'record_id', 'sequence', 'attempt', 'due_at', 'delivery_id'] as const

const into = {
  table: 'webhook_blocked',
  columns: columnsOf(['workspace_id', 'webhook_id', ...names], ['sequence', 'attempt']),
} as const

export function loadBlocked({ db, workspace }: Scope, webhookId: string): Promise<BlockedRow[]> {
  return sql<BlockedRow>`select b.resource, b.record_id, b.sequence, b.attempt, b.due_at, b.delivery_id
    from webhook_blocked b where b.workspace_id = ${workspace.id} and b.webhook_id = ${webhookId}
    order by b.sequence`.all(db)
}

/** How many records of an endpoint are blocked, the oldest event that waits, and when the next attempt is. */
type BlockedSummary = { records: number; sequence: number; due_at: string }

/** By endpoint. Endpoints without blocked records are missing. There are few rows: 1,000 make an endpoint failing. */
export async function summarizeBlocked(
  { db, workspace }: Scope,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, BlockedSummary>> {
  if (webhookIds.length === 0) return new Map()
  const rows = await sql<BlockedSummary & { webhook_id: string }>`select b.webhook_id, count(*) as records,
      min(b.sequence) as sequence, min(b.due_at) as due_at
    from webhook_blocked b where b.workspace_id = ${workspace.id} and b.webhook_id ${sql.among(webhookIds)}
    group by b.webhook_id`.all(db)
  return new Map(rows.map((row) => [row.webhook_id, row]))
}

/** Replaces the rows of some records: first all are deleted, then those that are blocked are inserted. */
export async function replaceBlocked(
  { engine, db, workspace }: Scope,
  webhookId: string,
  { keys, rows }: { keys: readonly Pick<BlockedRow, 'resource' | 'record_id'>[]; rows: readonly BlockedRow[] },
): Promise<void> {
  for (const [resource, own] of Map.groupBy(keys, (key) => key.resource)) {
    await sql`delete from webhook_blocked where workspace_id = ${workspace.id} and webhook_id = ${webhookId}
      and resource = ${resource} and record_id ${sql.among(own.map((key) => key.record_id))}`.run(db)
  }
  const values = rows.map((row) => [workspace.id, webhookId, ...names.map((name) => row[name])])
  if (values.length > 0) await engine.insertRows(db, into, values)
}

export async function clearBlocked({ db, workspace }: Scope, webhookId: string): Promise<void> {
  await sql`delete from webhook_blocked where workspace_id = ${workspace.id} and webhook_id = ${webhookId}`.run(db)
}

/** Lets all blocked records be tried from a time on. */
export async function retryBlockedAt({ db, workspace }: Scope, webhookId: string, at: string): Promise<void> {
  await sql`update webhook_blocked set due_at = ${at}
    where workspace_id = ${workspace.id} and webhook_id = ${webhookId}`.run(db)
}
