import { firstIdAt } from '@kith/contract/id'
import { DAY_MS, DELIVERIES_MAX, DELIVERY_DAYS, FAILED_DELIVERY_DAYS } from '@kith/contract/limits'
import type { Engine } from '../storage/engines/engine.ts'
import { dropDeliveries, loadLoggedWebhooks, pruneDeliveries } from '../storage/tables/deliveries.ts'
import { loadWorkspaceIds } from '../storage/tables/workspaces.ts'

type Of = { workspace_id: string; id: string }

/** Deletes what the log of an endpoint no longer keeps: the latest 10,000 for 7 days, and for 30 what was given up. */
export async function forgetDeliveriesOf(
  engine: Engine,
  { workspace_id, id }: Of,
  { at, isStopped = () => false }: { at: Date; isStopped?: () => boolean },
): Promise<void> {
  const before = (days: number) => firstIdAt(at.getTime() - days * DAY_MS)
  const kept = {
    webhook_id: id,
    delivered_after: before(DELIVERY_DAYS),
    failed_after: before(FAILED_DELIVERY_DAYS),
    most: DELIVERIES_MAX,
  }
  while (!isStopped() && (await pruneDeliveries(engine, workspace_id, kept)));
}

/** The same for all endpoints, and all of the log of deleted ones. */
export async function forgetDeliveries(engine: Engine, at: Date, isStopped: () => boolean): Promise<void> {
  for (const workspace_id of await loadWorkspaceIds(engine.db)) {
    if (isStopped()) return
    for (const { id, exists } of await loadLoggedWebhooks(engine, workspace_id)) {
      if (exists === 0) while (!isStopped() && (await dropDeliveries(engine, workspace_id, id)));
      else await forgetDeliveriesOf(engine, { workspace_id, id }, { at, isStopped })
    }
  }
}
