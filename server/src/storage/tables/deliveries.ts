import type { DeliveryState } from '@kith/contract/webhooks/webhook'
import type { Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { pageOf, workspaceTable } from './table.ts'

export type DeliveryRow = {
  webhook_id: string
  id: string
  event_id: string
  type: string
  record_id: string | null
  sequence: number | null
  state: DeliveryState
  replay: number
  created_at: string
  next_attempt_at: string | null
  /** JSON objects with commas between them. */
  attempts: string
}

const event = ['webhook_id', 'id', 'event_id', 'type', 'record_id', 'sequence'] as const

export const deliveryTable = workspaceTable<DeliveryRow>('deliveries', {
  columns: [...event, 'state', 'replay', 'created_at', 'next_attempt_at', 'attempts'],
  numbers: ['sequence', 'replay'],
})

/** The changes by a further attempt. `attempt` is JSON, or empty if none was made. */
export type DeliveryUpdate = Pick<DeliveryRow, 'webhook_id' | 'id' | 'state' | 'next_attempt_at'> & { attempt: string }

export async function addAttempt({ db, workspace }: Tenant, update: DeliveryUpdate): Promise<void> {
  const { webhook_id, id, state, next_attempt_at, attempt } = update
  const attempts =
    attempt === '' ? sql`attempts` : sql`case when attempts = '' then '' else attempts || ',' end || ${attempt}`
  await sql`update deliveries set state = ${state}, next_attempt_at = ${next_attempt_at}, attempts = ${attempts}
    where workspace_id = ${workspace.id} and webhook_id = ${webhook_id} and id = ${id}`.run(db)
}

/** One page of the log, the latest first, and the total. */
export function loadDeliveries(
  scope: Tenant,
  page: {
    webhook_id: string
    state: DeliveryState | undefined
    record_id: string | undefined
    limit: number
    offset: number
  },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const { db, workspace } = scope
  const state = page.state === undefined ? sql`` : sql`and d.state = ${sql.lit(page.state)}`
  const record = page.record_id === undefined ? sql`` : sql`and d.record_id = ${page.record_id}`
  const from = sql`from deliveries d where d.workspace_id = ${workspace.id} and d.webhook_id = ${page.webhook_id}
    ${state} ${record}`
  return pageOf(db, 'd', { ...page, from })
}

/** The number of the change with which an event was delivered. */
export function findDeliveredSequence(
  { db, workspace }: Tenant,
  webhookId: string,
  eventId: string,
): Promise<number | undefined> {
  return sql<number>`select d.sequence from deliveries d where d.workspace_id = ${workspace.id}
    and d.webhook_id = ${webhookId} and d.event_id = ${eventId} and d.sequence is not null limit 1`.value(db)
}

/** The numbers of the events that were given up and have no other delivery since, ascending. */
export function loadFailedSequences({ db, workspace }: Tenant, webhookId: string, limit: number): Promise<number[]> {
  return sql<number>`select distinct d.sequence from deliveries d where d.workspace_id = ${workspace.id}
    and d.webhook_id = ${webhookId} and d.state = 'failed' and d.sequence is not null and not exists (
      select 1 from deliveries o where o.workspace_id = ${workspace.id} and o.webhook_id = ${webhookId}
      and o.event_id = d.event_id and o.state in ('waiting', 'delivered') and o.id > d.id)
    order by d.sequence limit ${limit}`.column(db)
}

/** The replays that can be sent, in the order of the feed. */
export function loadReplays(
  { db, workspace }: Tenant,
  { webhook_id, now, limit }: { webhook_id: string; now: string; limit: number },
): Promise<DeliveryRow[]> {
  return sql<DeliveryRow>`select d.* from deliveries d where d.workspace_id = ${workspace.id}
    and d.webhook_id = ${webhook_id} and d.state = 'waiting' and d.replay = 1 and d.next_attempt_at <= ${now}
    order by d.sequence, d.id limit ${limit}`.all(db)
}

/** How many deliveries wait for another attempt. */
export function countWaiting({ db, workspace }: Tenant, webhookId: string): Promise<number> {
  return sql`select count(*) as total from deliveries d where d.workspace_id = ${workspace.id}
    and d.webhook_id = ${webhookId} and d.state = 'waiting'`.count(db)
}

/** When the next replay that waits can be sent; undefined if there is none. */
export async function findNextReplay({ db, workspace }: Tenant, webhookId: string): Promise<string | undefined> {
  const next = await sql<string | null>`select min(d.next_attempt_at) as next from deliveries d
    where d.workspace_id = ${workspace.id} and d.webhook_id = ${webhookId} and d.state = 'waiting'
    and d.replay = 1`.value(db)
  return next ?? undefined
}

/** The replays of a record wait for the one that failed. */
export async function delayReplays(
  { db, workspace }: Tenant,
  { webhook_id, record_id, until }: { webhook_id: string; record_id: string; until: string },
): Promise<void> {
  await sql`update deliveries set next_attempt_at = ${until} where workspace_id = ${workspace.id}
    and webhook_id = ${webhook_id} and record_id = ${record_id} and state = 'waiting' and replay = 1
    and next_attempt_at < ${until}`.run(db)
}
