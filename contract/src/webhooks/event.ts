import { changeEntry } from '../changes/change-entry.ts'
import { feedResources, storedKinds } from '../changes/change-kind.ts'
import { DELIVERY_MAX_BYTES } from '../limits.ts'
import { resourceNames } from '../resource.ts'
import { given, id, maybe, object, text, time, whole, word } from '../shape.ts'

/** The types of events that report a change. Only records have filters, so only they can leave one. */
export const changeEventTypes: readonly string[] = [
  ...feedResources.flatMap((resource) => storedKinds.map((kind) => `${resource}.${kind}`)),
  ...resourceNames.map((resource) => `${resource}.left`),
]

const cursor = text({ says: 'The position in the changes feed after this event.' })

const change = object({
  id: id(),
  ...changeEntry,
  // Events are never sent for a snapshot.
  sequence: whole({ from: 1 }),
  kind: word([...storedKinds, 'left']),
  cursor,
  truncated: maybe(
    given({
      type: 'boolean',
      const: true,
      description: `Only where \`record\` is left out because the body would be larger than ${DELIVERY_MAX_BYTES / 1024} KiB.`,
    }),
  ),
})

const reset = object({
  reason: word(['expired', 'restored']),
  resync: text({ format: 'uri', says: 'Where to read everything again.' }),
  cursor,
})

/** The bodies of the requests to webhooks. */
export const events = {
  ChangeEvent: { type: word(changeEventTypes), timestamp: time(), data: change },
  FeedResetEvent: { type: word(['feed.reset']), timestamp: time(), data: reset },
  WebhookTestEvent: { type: word(['webhook.test']), timestamp: time(), data: object({ endpoint_id: id() }) },
} as const
