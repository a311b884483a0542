import { inTransaction, type Scope } from '../../scope/scope.ts'
import {
  addAttempt,
  type DeliveryRow,
  type DeliveryUpdate,
  delayReplays,
  deleteDeliveries,
  insertDeliveries,
} from '../../storage/tables/deliveries.ts'
import {
  type BlockedRow,
  lockWebhook,
  replaceBlocked,
  replaceWebhook,
  type WebhookRow,
} from '../../storage/tables/webhooks.ts'

/** The progress of an endpoint since it was last stored. */
export type Progress = {
  webhook_id: string
  revision: number
  /** The position and the health. */
  columns: Partial<WebhookRow>
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

/** `changed`: a caller has changed the endpoint meanwhile. `lost`: another node has it, or it was deleted. */
export type FlushResult = 'stored' | 'changed' | 'lost'

/**
 * Stores the progress of endpoints of one workspace. The log is always stored, because the attempts have happened. The
 * position is stored only if this node has the lease and knows the current endpoint.
 */
export function flushProgress(scope: Scope, node: string, progress: readonly Progress[]): Promise<FlushResult[]> {
  return inTransaction(scope, async (inside) => {
    const flushed: FlushResult[] = []
    const ordered = progress.toSorted((one, other) => (one.webhook_id < other.webhook_id ? -1 : 1))
    for (const one of ordered) flushed.push(await flushOne(inside, node, one))
    return progress.map((one) => flushed[ordered.indexOf(one)] ?? 'lost')
  })
}

async function flushOne(inside: Scope, node: string, progress: Progress): Promise<FlushResult> {
  const { webhook_id, revision, columns, blocked, log } = progress
  const stored = await lockWebhook(inside, webhook_id)
  if (!stored) return 'lost'
  if (log.again)
    await deleteDeliveries(
      inside,
      webhook_id,
      log.deliveries.map(({ id }) => id),
    )
  await insertDeliveries(inside, log.deliveries)
  for (const update of log.updates) await addAttempt(inside, update)
  for (const delay of log.delays) await delayReplays(inside, { webhook_id, ...delay })
  if (stored.leased_by !== node) return 'lost'
  if (stored.revision !== revision) return 'changed'
  await replaceWebhook(inside, webhook_id, columns)
  await replaceBlocked(inside, webhook_id, blocked)
  return 'stored'
}
