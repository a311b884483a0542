import type { Payload } from '@kith/contract/changes/change-kind'
import type { DisabledReason, WebhookState } from '@kith/contract/webhooks/webhook'
import type { Db, Engine, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { LeasedTable } from './leases.ts'
import { pageOf, workspaceTable } from './table.ts'

export type WebhookRow = {
  workspace_id: string
  id: string
  url: string
  /** JSON: a list. */
  types: string
  description: string | null
  /** JSON: objects by resource, as they were sent. */
  filter: string | null
  changed: string | null
  payload: Payload
  exclude_own: number
  max_in_flight: number
  state: WebhookState
  reason: DisabledReason | null
  /** Encrypted. */
  secret: string
  old_secret: string | null
  old_secret_until: string | null
  /** The position in the feed: everything up to this number is delivered, given up, or behind a blocked record. */
  epoch: string
  sequence: number
  /** How many attempts have failed in a row, and since when there were only failures. */
  failures: number
  failed_since: string | null
  /** Whether the creator and the owners know that it fails. */
  noticed: number
  /** A mail that is to be sent. */
  notice: 'failing' | 'disabled' | null
  last_success_at: string | null
  last_failure_at: string | null
  /** The delivery with the latest attempt that failed. The log may no longer have it. */
  last_failure_id: string | null
  created_at: string
  updated_at: string
  creator_id: string
  /** The token that created it; null for the application. */
  token_id: string | null
  /** Who has decided last where events go: a token or connection, or in the application a user. */
  url_by: string
  /** Grows with every change by a caller, so that the node that delivers notices it. */
  revision: number
  leased_by: string | null
  leased_until: string | null
}

export const webhookTable = workspaceTable<WebhookRow>('webhooks')

/** Locks the endpoint until the transaction ends. */
export function lockWebhook({ engine, db, workspace }: Tenant, id: string): Promise<WebhookRow | undefined> {
  const lock = sql.raw(engine.concurrentWrites ? 'for update' : '')
  return sql<WebhookRow>`select * from webhooks where workspace_id = ${workspace.id} and id = ${id} ${lock}`.one(db)
}

/** One page of the endpoints, of one creator or of all, the latest first, and their total. */
export function loadWebhooks(
  scope: Tenant,
  page: { creator_id: string | undefined; limit: number; offset: number },
): Promise<{ rows: WebhookRow[]; total: number }> {
  const own = page.creator_id === undefined ? sql`` : sql`and w.creator_id = ${page.creator_id}`
  const from = sql`from webhooks w where w.workspace_id = ${scope.workspace.id} ${own}`
  return pageOf(scope.db, 'w', { ...page, from })
}

type DisablingScope = Tenant & { now(): Date }

/** Disables the endpoints of a member who has left, may no longer write, or whose password was reset. */
export function disableWebhooksOf(
  inside: DisablingScope,
  { user_id, reason }: { user_id: string; reason: 'creator' | 'role' | 'password' },
): Promise<void> {
  // Someone else who knew the password may have sent the events of others to another place.
  const diverted = reason === 'password' ? sql`or w.url_by = ${user_id}` : sql``
  return disableWebhooks(inside, sql`(w.creator_id = ${user_id} ${diverted})`, reason)
}

/** Disables the endpoints that tokens or connections have created or given a URL. They end now. */
export async function disableWebhooksMadeWith(inside: DisablingScope, tokenIds: readonly string[]): Promise<void> {
  if (tokenIds.length === 0) return
  const ended = sql.among(tokenIds)
  await disableWebhooks(inside, sql`(w.token_id ${ended} or w.url_by ${ended})`, 'token')
}

/** The endpoints that would be disabled with a token, or those of a user. */
export function loadEndingWebhooks(
  { db, workspace }: Tenant,
  { token_id, user_id }: { token_id: string | undefined; user_id: string | undefined },
): Promise<WebhookRow[]> {
  const which =
    token_id === undefined
      ? sql`w.creator_id = ${user_id ?? ''}`
      : sql`(w.token_id = ${token_id} or w.url_by = ${token_id})`
  return sql<WebhookRow>`select w.* from webhooks w where w.workspace_id = ${workspace.id} and ${which}
    and w.state <> 'disabled' order by w.id`.all(db)
}

/** In the order in which the nodes that deliver lock them. */
async function disableWebhooks(
  { engine, db, workspace, now }: DisablingScope,
  which: Sql<unknown>,
  reason: DisabledReason,
) {
  const lock = sql.raw(engine.concurrentWrites ? 'for update' : '')
  await sql`update webhooks set state = 'disabled', reason = ${reason}, notice = 'disabled', revision = revision + 1,
    updated_at = ${now().toISOString()}
    where workspace_id = ${workspace.id} and id in (select w.id from webhooks w
      where w.workspace_id = ${workspace.id} and ${which} and w.state <> 'disabled' order by w.id ${lock})`.run(db)
}

/** Grows with every change that a node that delivers must notice; undefined if the endpoint was deleted. */
export function findRevision(db: Db, { workspace_id, id }: WebhookRow): Promise<number | undefined> {
  return sql<number>`select revision from webhooks where workspace_id = ${workspace_id} and id = ${id}`.value(db)
}

export const webhookLeases: LeasedTable = {
  name: 'webhooks',
  isOpen: sql`w.state in ('active', 'failing')`,
  at_once: 50,
}

/** The endpoints that a node delivers to, in all workspaces. */
export function loadLeased(db: Db, by: string): Promise<Pick<WebhookRow, 'id' | 'revision'>[]> {
  return sql<Pick<WebhookRow, 'id' | 'revision'>>`select workspace_id, id, revision from webhooks
    where leased_by = ${by}`.all(db)
}

/** Takes the mails that are to be sent: each is taken once. */
export async function takeNotices(engine: Engine): Promise<(WebhookRow & { notice: 'failing' | 'disabled' })[]> {
  const found = await sql<WebhookRow>`select w.* from webhooks w where w.notice is not null
    order by w.workspace_id, w.id limit 50`.all(engine.db)
  const taken: (WebhookRow & { notice: 'failing' | 'disabled' })[] = []
  for (const { notice, ...row } of found) {
    if (notice === null) continue
    const changed = await sql`update webhooks set notice = null where workspace_id = ${row.workspace_id}
      and id = ${row.id} and notice = ${notice}`.run(engine.single)
    if (changed > 0) taken.push({ ...row, notice })
  }
  return taken
}

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

export const blockedTable = workspaceTable<BlockedRow & { webhook_id: string }>('webhook_blocked', {
  columns: ['webhook_id', 'resource', 'record_id', 'sequence', 'attempt', 'due_at', 'delivery_id'],
  numbers: ['sequence', 'attempt'],
})

/** How many records of an endpoint are blocked, the oldest event that waits, and when the next attempt is. */
type BlockedSummary = { records: number; sequence: number; due_at: string }

/** By endpoint. Endpoints without blocked records are missing. There are few rows: 1,000 make an endpoint failing. */
export async function summarizeBlocked(
  { db, workspace }: Tenant,
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
  inside: Tenant,
  webhook_id: string,
  { keys, rows }: { keys: readonly Pick<BlockedRow, 'resource' | 'record_id'>[]; rows: readonly BlockedRow[] },
): Promise<void> {
  for (const [resource, own] of Map.groupBy(keys, (key) => key.resource)) {
    await blockedTable.remove(inside, { webhook_id, resource, record_id: own.map((key) => key.record_id) })
  }
  await blockedTable.insertAll(
    inside,
    rows.map((row) => ({ ...row, webhook_id })),
  )
}
