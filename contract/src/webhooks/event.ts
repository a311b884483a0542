import { changeEntry } from '../changes/change-entry.ts'
import { feedResources, storedKinds } from '../changes/change-kind.ts'
import { DELIVERY_MAX_BYTES } from '../limits.ts'
import { resourceNames } from '../resource.ts'
import * as is from '../shape.ts'

/** The types of events that report a change. Only records have filters, so only they can leave one. */
export const changeEventTypes: readonly string[] = [
  ...feedResources.flatMap((resource) => storedKinds.map((kind) => `${resource}.${kind}`)),
  ...resourceNames.map((resource) => `${resource}.left`),
]

const cursor = is.text({ says: 'The position in the changes feed after this event.' })

const change = is.object({
  id: is.id(),
  ...changeEntry,
  // Events are never sent for a snapshot.
  sequence: is.whole({ from: 1 }),
  kind: is.word([...storedKinds, 'left']),
  cursor,
  truncated: is.maybe(
    is.given({
      type: 'boolean',
      const: true,
      description: `Only where \`record\` is left out because the body would be larger than ${DELIVERY_MAX_BYTES / 1024} KiB.`,
    }),
  ),
})

const reset = is.object({
  reason: is.word(['expired', 'restored']),
  resync: is.text({ format: 'uri', says: 'Where to read everything again.' }),
  cursor,
})

/** The bodies of the requests to webhooks. */
export const events = {
  ChangeEvent: { type: is.word(changeEventTypes), timestamp: is.time(), data: change },
  FeedResetEvent: { type: is.word(['feed.reset']), timestamp: is.time(), data: reset },
  WebhookTestEvent: {
    type: is.word(['webhook.test']),
    timestamp: is.time(),
    data: is.object({ endpoint_id: is.id() }),
  },
} as const

export const eventComponents = {
  ChangeEvent: is.shownSchema(events.ChangeEvent),
  FeedResetEvent: is.shownSchema(events.FeedResetEvent),
  WebhookTestEvent: is.shownSchema(events.WebhookTestEvent),
}
