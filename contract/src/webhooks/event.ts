import { changeEntry } from '../changes/change-entry.ts'
import { namedResourcesOf, storedKinds } from '../changes/change-kind.ts'
import { DELIVERY_MAX_BYTES } from '../limits.ts'
import type { Schema } from '../resource.ts'
import * as is from '../shape.ts'

/** The types of events that report a change. Only records have filters, so only they can leave one. */
export function changeEventTypesOf(schema: Schema): string[] {
  return [
    ...namedResourcesOf(schema).flatMap((resource) => storedKinds.map((kind) => `${resource}.${kind}`)),
    ...[...schema.keys()].map((resource) => `${resource}.left`),
  ]
}

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
      description: `Only where \`record\` and \`changes\` are left out because the body would be larger than ${DELIVERY_MAX_BYTES / 1024} KiB.`,
    }),
  ),
})

const reset = is.object({
  reason: is.word(['expired', 'restored']),
  resync: is.text({ format: 'uri', says: 'Where to read everything again.' }),
  cursor,
})

const EVENT = `^[a-z][a-z0-9_]*\\.(${[...storedKinds, 'left'].join('|')})$`

/** The bodies of the requests to webhooks. */
export const eventComponents = {
  ChangeEvent: event(is.text({ pattern: EVENT }), change),
  FeedResetEvent: event(is.word(['feed.reset']), reset),
  WebhookTestEvent: event(is.word(['webhook.test']), is.object({ endpoint_id: is.id() })),
}

function event(type: is.Shape<string>, data: is.Shape<unknown>): is.Schema {
  return is.shownSchema({ type, timestamp: is.time(), data })
}
