import { type FeedResource, feedResources, type StoredKind, storedKinds } from '../changes/change-kind.ts'
import { excerpt } from '../excerpt.ts'
import type { Report } from '../issue.ts'
import { WEBHOOK_TYPES_MAX } from '../limits.ts'
import { suggestion } from '../nearest.ts'

/** Everything that the `types` of a webhook can name. */
export const eventTypes: readonly string[] = [
  '*',
  ...feedResources.flatMap((resource) => [`${resource}.*`, ...storedKinds.map((kind) => `${resource}.${kind}`)]),
]

const FORMS = `Accepted: *, <resource>.* and <resource>.<kind>, with the resources ${feedResources.join(', ')} and the kinds ${storedKinds.join(', ')}.`

/** Reads the types of a webhook, each once. */
export function parseEventTypes(raw: unknown, report: Report): string[] {
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > WEBHOOK_TYPES_MAX) {
    report('types', `The types must be a list of 1 to ${WEBHOOK_TYPES_MAX} types of events. ${FORMS}`)
    return []
  }
  for (const [index, type] of raw.entries()) {
    if (typeof type === 'string' && eventTypes.includes(type)) continue
    report(`types.${index}`, `The types.${index} ${problemOf(type)} ${FORMS}`)
  }
  return [...new Set(raw.filter((type) => typeof type === 'string'))]
}

function problemOf(type: unknown): string {
  if (typeof type !== 'string') return 'must be a text.'
  if (type === 'feed.reset') return 'cannot be feed.reset: it always comes.'
  if (type.endsWith('.left')) return `cannot be ${excerpt(type)}: it comes with updated and restored, under a filter.`
  return `does not name a type of event: ${excerpt(type)}.${suggestion(type, eventTypes)}`
}

/** Whether an event is among the types of a webhook. */
export function isOfTypes(types: readonly string[], { resource, kind }: { resource: FeedResource; kind: StoredKind }) {
  return types.includes('*') || types.includes(`${resource}.*`) || types.includes(`${resource}.${kind}`)
}
