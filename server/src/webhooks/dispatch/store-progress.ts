import { byService, notify } from '../../notifications/notify.ts'
import { inTransaction, type Tenancy } from '../../scope/scope.ts'
import {
  addAttempt,
  type DeliveryRow,
  type DeliveryUpdate,
  delayReplays,
  deliveryTable,
} from '../../storage/tables/deliveries.ts'
import {
  type BlockedRow,
  blockedTable,
  lockWebhook,
  replaceBlocked,
  type WebhookRow,
  webhookTable,
} from '../../storage/tables/webhooks.ts'

/** The progress of an endpoint since it was last stored. */
export type Progress = {
  webhook_id: string
  /** What the node knows of the stored row. */
  stored: Pick<WebhookRow, 'revision' | 'epoch' | 'sequence'>
  /** The columns that have changed. */
  position: Partial<WebhookRow>
  health: Partial<WebhookRow>
  /** The records whose rows are replaced, and the rows of those that are blocked. */
  blocked: { keys: readonly Pick<BlockedRow, 'resource' | 'record_id'>[]; rows: readonly BlockedRow[] }
  log: {
    deliveries: readonly DeliveryRow[]
    /** Whether it may already be stored, because the outcome of an earlier attempt is not known. */
    again: boolean
    updates: readonly DeliveryUpdate[]
    delays: readonly { record_id: string; until: string }[]
  }
}

/** The rows of an endpoint that a caller has changed meanwhile. `moved`: its position was changed, too. */
export type ChangedRows = { webhook: WebhookRow; blocked: BlockedRow[]; moved: boolean }

/** `lost`: another node has the endpoint, or it was deleted. */
export type StoreResult = 'stored' | 'lost' | ChangedRows

/**
 * Stores the progress of endpoints of one workspace. The log is always stored, because the attempts have happened.
 * The rest is stored only if this node has the lease: the position unless a caller has moved the endpoint, and its
 * health unless a caller has changed it.
 */
export function storeProgress(
  scope: Tenancy,
  { node, progress }: { node: string; progress: readonly Progress[] },
): Promise<StoreResult[]> {
  return inTransaction(scope, async (inside) => {
    const results = new Map<string, StoreResult>()
    // In the order in which other transactions lock endpoints.
    for (const one of progress.toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))) {
      results.set(one.webhook_id, await storeOne(inside, node, one))
    }
    return progress.map(({ webhook_id }) => results.get(webhook_id) ?? 'lost')
  })
}

/** Tells the creator of an endpoint that it begins to fail, or that it is disabled because it fails. */
async function notifyFailing(inside: Tenancy, before: WebhookRow, { state }: Partial<WebhookRow>): Promise<void> {
  if (state === undefined || state === before.state || state === 'active') return
  const what = state === 'failing' ? 'fails: events wait until it accepts them again' : 'is disabled, because it failed'
  const about = { resource: null, record_id: before.id, detail: `The webhook ${before.url} ${what}.` }
  await notify(byService(inside), [{ user_id: before.creator_id, reason: 'webhook', ...about }])
}

async function storeOne(inside: Tenancy, node: string, progress: Progress): Promise<StoreResult> {
  const { webhook_id, stored, position, health, blocked, log } = progress
  const row = await lockWebhook(inside, webhook_id)
  if (!row) return 'lost'
  if (log.again) {
    await deliveryTable.remove(inside, { webhook_id, id: log.deliveries.map(({ id }) => id) })
  }
  await deliveryTable.insertAll(inside, log.deliveries)
  for (const update of log.updates) await addAttempt(inside, update)
  for (const delay of log.delays) await delayReplays(inside, { webhook_id, ...delay })
  if (row.leased_by !== node) return 'lost'
  const isChanged = row.revision !== stored.revision
  const moved = isChanged && (row.epoch !== stored.epoch || row.sequence !== stored.sequence)
  if (!moved) {
    const columns = isChanged ? position : { ...position, ...health }
    if (Object.keys(columns).length > 0) await webhookTable.update(inside, { id: webhook_id }, columns)
    await notifyFailing(inside, row, columns)
    await replaceBlocked(inside, webhook_id, blocked)
  }
  if (!isChanged) return 'stored'
  const webhook = moved ? row : { ...row, ...position }
  return { webhook, blocked: await blockedTable.load(inside, { webhook_id }, 'sequence'), moved }
}
