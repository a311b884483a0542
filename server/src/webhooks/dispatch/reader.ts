import type { ShapingByResource } from '../../changes/present-changes.ts'
import type { Entry, FeedPart } from '../../changes/read-part.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AskWebhooks } from './steps.ts'

/** How many entries of the feed are read at once. */
const READ = 500

/** Reads for all endpoints of a node. */
export type Reader = {
  ask: AskWebhooks
  events(facts: ScopeFacts, after: number): Promise<FeedPart>
  /** The entries that match the endpoint's filters, by id. Undefined if its filter is no longer valid. */
  present(facts: ScopeFacts, entries: readonly Entry[], shaping: ShapingByResource): Promise<EntriesById>
}

type EntriesById = ReadonlyMap<string, Entry> | undefined

/**
 * Endpoints of one workspace are mostly at the same position, and a change wakes all of them, so they share reads of
 * the feed: without this, a write next to 100 endpoints takes 1.6 times the CPU. Those with the same filter share the
 * reads of records: without this, deliveries to 100 endpoints take 1.3 times the CPU.
 */
export function openReader(ask: AskWebhooks): Reader {
  const reading = new Map<string, Promise<FeedPart>>()
  const presenting = new Map<string, { entries: Map<string, Entry>; shown: Promise<EntriesById> }>()

  async function presentSoon(key: string, facts: ScopeFacts, shaping: ShapingByResource): Promise<EntriesById> {
    // One turn of the event loop collects concurrent reads.
    await new Promise((resolve) => setImmediate(resolve))
    const entries = [...(presenting.get(key)?.entries.values() ?? [])]
    presenting.delete(key)
    const shown = await ask(facts, 'present-events', { entries, shaping })
    return shown === null ? undefined : new Map(shown.map((entry) => [entry.id, entry]))
  }

  return {
    ask,
    events: (facts, after) =>
      reading.getOrInsertComputed(`${facts.workspace.id} ${after}`, (name) =>
        ask(facts, 'read-events', { after, limit: READ }).finally(() => reading.delete(name)),
      ),
    present(facts, entries, shaping) {
      // Values of records that are gone are not for every role.
      const key = JSON.stringify([facts.workspace.id, facts.workspace.fields_version, facts.actor.role, shaping])
      const batch = presenting.getOrInsertComputed(key, () => ({
        entries: new Map(),
        shown: presentSoon(key, facts, shaping),
      }))
      for (const entry of entries) batch.entries.set(entry.id, entry)
      return batch.shown
    },
  }
}
