import type { Entry } from '../../changes/entry.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { DeliveryRow } from '../../storage/tables/deliveries.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import { wantedBy } from '../webhook.ts'
import { keyOf } from './backlog.ts'
import type { Ask } from './steps.ts'

const READ = 200

export type Replay = { row: DeliveryRow; entry: Entry }

/** The replays of an endpoint. Those of one record keep their order. */
export type Replays = {
  /** There may be new ones. */
  look(): void
  /** Whether any can be sent or looked for at this time. */
  hasWork(now: string): boolean
  nextDue(): string | undefined
  /** The next replays of records that are free, and those whose change is no longer in the feed or not wanted. */
  take(count: number, reading: { ask: Ask; facts: ScopeFacts; webhook: WebhookRow; now: string }): Promise<Taken>
  putBack(replays: readonly Replay[]): void
  /** It is delivered, given up, or waits: then those of its record wait, too. */
  ended(replay: Replay, waits: boolean): void
  /** What happened to replays is stored. Before that, they would be found again. */
  stored(): void
}

type Taken = { replays: Replay[]; lost: DeliveryRow[] }

export function newReplays(): Replays {
  let queue: Replay[] = []
  const flying = new Set<string>()
  let unstored = false
  let looks = true
  let next: string | undefined

  return {
    look() {
      looks = true
    },
    hasWork: (now) => queue.length > 0 || (looks && !unstored) || (next !== undefined && next <= now && !unstored),
    nextDue: () => next,
    async take(count, { ask, facts, webhook, now }) {
      let lost: DeliveryRow[] = []
      if (queue.length === 0 && flying.size === 0 && !unstored) {
        const found = await ask(facts, 'replays', { id: webhook.id, now, limit: READ })
        const entries = new Map(wantedBy({ ...webhook, exclude_own: 0 }, found.entries).map(bySequence))
        const loaded = found.rows.map((row) => ({ row, entry: entries.get(row.sequence ?? -1) }))
        queue = loaded.flatMap(({ row, entry }) => (entry ? [{ row, entry }] : []))
        lost = loaded.flatMap(({ row, entry }) => (entry ? [] : row))
        looks = found.rows.length === READ
        next = found.next ?? undefined
        unstored = lost.length > 0
      }
      const replays: Replay[] = []
      const rest: Replay[] = []
      const seen = new Set(flying)
      for (const replay of queue) {
        const key = keyOf(replay.entry.attributes)
        if (replays.length === count || seen.has(key)) rest.push(replay)
        else replays.push(replay)
        seen.add(key)
      }
      for (const { entry } of replays) flying.add(keyOf(entry.attributes))
      queue = rest
      return { replays, lost }
    },
    putBack(replays) {
      for (const { entry } of replays) flying.delete(keyOf(entry.attributes))
      queue = [...replays, ...queue]
    },
    ended({ entry }, waits) {
      const key = keyOf(entry.attributes)
      flying.delete(key)
      unstored = true
      looks = true
      if (waits) queue = queue.filter((other) => keyOf(other.entry.attributes) !== key)
    },
    stored() {
      unstored = false
    },
  }
}

function bySequence(entry: Entry): [number, Entry] {
  return [entry.attributes.sequence ?? -1, entry]
}
