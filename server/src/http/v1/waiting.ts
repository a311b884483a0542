import { WAITING_PER_TOKEN, WAITING_PER_WORKSPACE } from '@kith/contract/limits'
import type { FeedWatch } from '../../changes/live-updates.ts'
import { openPlaces, type PlaceStore, type Places } from '../../limits/places.ts'
import type { ScopeFacts } from '../../scope/scope.ts'

/** The requests and streams that wait for changes. They hold no thread and no connection. */
export type FeedWaiters = Places & {
  /** Waits until the feed of a workspace is past a sequence. False after the time limit or when the wait is aborted. */
  untilPast(facts: ScopeFacts, sequence: number, limits: { ms: number; signal: AbortSignal }): Promise<boolean>
  /** Whether the feed of a workspace is past a sequence now. */
  isPast(facts: ScopeFacts, sequence: number): Promise<boolean>
  /** Aborted when the service stops. */
  stopping: AbortSignal
  stop(): void
}

export function openWaiting(feed: FeedWatch, store: PlaceStore): FeedWaiters {
  const places = openPlaces(store, {
    kind: 'waiting',
    per_token: WAITING_PER_TOKEN,
    per_workspace: WAITING_PER_WORKSPACE,
    message: tooMany,
  })
  const stopping = new AbortController()
  /** Ends each wait of this process. A shared signal would keep the listeners of every stream. */
  const waits = new Set<() => void>()

  return {
    enter: places.enter,
    untilPast(facts, sequence, { ms, signal }) {
      if (signal.aborted || stopping.signal.aborted || ms <= 0) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const cut = () => resolve(false)
      const timer = setTimeout(cut, ms).unref()
      const stopListening = feed.listen(facts, (head) => {
        if (head > sequence) resolve(true)
      })
      signal.addEventListener('abort', cut)
      waits.add(cut)
      return promise.finally(() => {
        clearTimeout(timer)
        stopListening()
        signal.removeEventListener('abort', cut)
        waits.delete(cut)
      })
    },
    isPast: async (facts, sequence) => (await feed.read(facts)) > sequence,
    stopping: stopping.signal,
    stop() {
      stopping.abort()
      for (const cut of waits) cut()
    },
  }
}

function tooMany(holder: string, most: number): string {
  return (
    `Too many requests of ${holder} are waiting: at most ${most} waiting requests and streams together are allowed. ` +
    'End one of them, or retry.'
  )
}
