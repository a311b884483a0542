import { presentByResource, type ShapingByResource } from '../../changes/present-changes.ts'
import { type Entry, type FeedPart, readAt, readPart, type WantedPart } from '../../changes/read-part.ts'
import type { RunStep, Step } from '../../leases/step.ts'
import type { Scope, ScopeFacts } from '../../scope/scope.ts'
import { type DeliveryRow, findNextReplay, loadReplays } from '../../storage/tables/deliveries.ts'
import { type BlockedRow, findWebhook, loadBlocked, type WebhookRow } from '../../storage/tables/webhooks.ts'
import { type FlushResult, flushProgress, type Progress } from './flush.ts'

/** The database steps of the node that delivers. Each runs in a lane, like a request. */
type WebhookSteps = {
  read: { input: WantedPart; output: FeedPart }
  /** Null if a filter is no longer valid. */
  present: { input: { entries: readonly Entry[]; shaping: ShapingByResource }; output: Entry[] | null }
  /** Null if the endpoint was deleted. */
  load: { input: { id: string }; output: { webhook: WebhookRow; blocked: BlockedRow[] } | null }
  replays: {
    input: { id: string; now: string; limit: number }
    output: { rows: DeliveryRow[]; entries: Entry[]; next: string | null }
  }
  flush: { input: { node: string; progress: readonly Progress[] }; output: FlushResult[] }
}

type WebhookStep = keyof WebhookSteps

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

export function runWebhookStep(scope: Scope, { handler, input }: Step): Promise<unknown> {
  const step = Object.entries(steps).find(([name]) => name === handler)?.[1]
  if (!step) throw new Error(`There is no step ${handler}.`)
  // Sent by the node itself, with the types above.
  return step(scope, input as never)
}

/** Runs a step in its lane. */
export type Ask = <Name extends WebhookStep>(
  facts: ScopeFacts,
  name: Name,
  input: WebhookSteps[Name]['input'],
) => Promise<WebhookSteps[Name]['output']>

export function askWith(runStep: RunStep): Ask {
  return async (facts, name, input) => {
    const answer = await runStep(facts, { handler: name, input }, name === 'flush' ? 'write' : 'read')
    if (answer.status !== 200) throw new Error(`The step ${name} failed: ${answer.bug ?? answer.body}`)
    // Written by runWebhookStep.
    return JSON.parse(answer.body ?? 'null')
  }
}

/** A step that needs no rights. */
export function factsOf(workspaceId: string): ScopeFacts {
  return {
    workspace: { id: workspaceId, number: 0, slug: '', name: '', fields_version: 0 },
    actor: { user_id: '', role: 'viewer', abilities: [], token_id: null, source: 'api' },
  }
}
