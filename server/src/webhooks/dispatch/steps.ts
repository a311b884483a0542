import type { JobStep } from '../../calls/call.ts'
import type { Entry } from '../../changes/entry.ts'
import { presentByResource, type ShapingByResource } from '../../changes/present-by-resource.ts'
import { type FeedPart, readAt, readPart, type WantedPart } from '../../changes/read-part.ts'
import type { Scope } from '../../scope/scope.ts'
import { type DeliveryRow, findNextReplay, loadReplays } from '../../storage/tables/deliveries.ts'
import { type BlockedRow, loadBlocked } from '../../storage/tables/webhook-blocked.ts'
import { findWebhook, type WebhookRow } from '../../storage/tables/webhooks.ts'
import { type Flushed, flushProgress, type Progress } from './flush.ts'

/** What the node that delivers asks of the database. Each runs in a lane, as a request does. */
export type WebhookSteps = {
  read: { input: WantedPart; output: FeedPart }
  /** Null if a filter is no longer valid. */
  present: { input: { entries: readonly Entry[]; shaping: ShapingByResource }; output: Entry[] | null }
  /** Null if the endpoint was deleted. */
  load: { input: { id: string }; output: { webhook: WebhookRow; blocked: BlockedRow[] } | null }
  replays: {
    input: { id: string; now: string; limit: number }
    output: { rows: DeliveryRow[]; entries: Entry[]; next: string | null }
  }
  flush: { input: { node: string; progress: readonly Progress[] }; output: Flushed[] }
}

export type WebhookStep = keyof WebhookSteps

const steps: { [Name in WebhookStep]: (scope: Scope, input: WebhookSteps[Name]['input']) => Promise<unknown> } = {
  read: readPart,
  present: async (scope, { entries, shaping }) => (await presentByResource(scope, entries, shaping)) ?? null,
  load: async (scope, { id }) => {
    const webhook = await findWebhook(scope, id)
    return webhook ? { webhook, blocked: await loadBlocked(scope, id) } : null
  },
  replays: async (scope, { id, now, limit }) => {
    const rows = await loadReplays(scope, { webhook_id: id, now, limit })
    const entries = await readAt(scope, [...new Set(rows.flatMap(({ sequence }) => sequence ?? []))])
    return { rows, entries, next: (await findNextReplay(scope, id)) ?? null }
  },
  flush: (scope, { node, progress }) => flushProgress(scope, node, progress),
}

export function runWebhookStep(scope: Scope, { handler, input }: JobStep): Promise<unknown> {
  const step = Object.entries(steps).find(([name]) => name === handler)?.[1]
  if (!step) throw new Error(`There is no step ${handler}.`)
  // Sent by the node itself, with the types above.
  return step(scope, input as never)
}
