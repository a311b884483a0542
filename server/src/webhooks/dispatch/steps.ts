import { presentByResource } from '../../changes/present-changes.ts'
import { readAt, readPart } from '../../changes/read-part.ts'
import { withSchema } from '../../fields/definitions.ts'
import type { Ask } from '../../leases/step.ts'
import type { Tenancy } from '../../scope/scope.ts'
import { findNextReplay, loadReplays } from '../../storage/tables/deliveries.ts'
import { storeProgress } from './store-progress.ts'

/** The database steps of the node that delivers. */
export const webhookSteps = {
  'read-events': readPart,
  /** Null if a filter is no longer valid. */
  'present-events': async (
    scope: Tenancy,
    { entries, shaping }: { entries: Parameters<typeof presentByResource>[1]; shaping: Shaping },
  ) => (await presentByResource(await withSchema(scope), entries, shaping)) ?? null,
  'read-replays': async (scope: Tenancy, wanted: { webhook_id: string; now: string; limit: number }) => {
    const rows = await loadReplays(scope, wanted)
    const entries = await readAt(scope, [...new Set(rows.flatMap(({ sequence }) => sequence ?? []))])
    return { rows, entries, next: (await findNextReplay(scope, wanted.webhook_id)) ?? null }
  },
  'store-progress': storeProgress,
}

type Shaping = Parameters<typeof presentByResource>[2]

export type AskWebhooks = Ask<typeof webhookSteps>
