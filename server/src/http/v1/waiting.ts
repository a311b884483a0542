import { WAITING_PER_TOKEN, WAITING_PER_WORKSPACE } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import type { FeedWatch } from '../../runtime/feed-watch.ts'
import type { ScopeFacts } from '../../scope/scope.ts'

const RETRY_AFTER_SECONDS = 5

/** The requests and streams of this process that wait for changes. They hold no thread and no connection. */
export type Waiting = {
  /** Takes a place among those who wait, or refuses. Returns a function that frees it. */
  enter(facts: ScopeFacts): () => void
  /** Waits until the feed of a workspace is past a sequence. False after a time, and when waiting is cut short. */
  untilPast(facts: ScopeFacts, sequence: number, limits: { ms: number; signal: AbortSignal }): Promise<boolean>
  /** Whether the feed of a workspace is past a sequence now. */
  isPast(facts: ScopeFacts, sequence: number): Promise<boolean>
  /** Aborted when the service stops. */
  stopping: AbortSignal
  stop(): void
}

export function openWaiting(feed: FeedWatch): Waiting {
  const places = new Map<string, number>()
  const stopping = new AbortController()
  /** Ends each wait of this process. A shared signal would keep the listeners of every stream. */
  const waits = new Set<() => void>()

  function take(key: string): void {
    places.set(key, (places.get(key) ?? 0) + 1)
  }

  function free(key: string): void {
    const left = (places.get(key) ?? 1) - 1
    if (left > 0) places.set(key, left)
    else places.delete(key)
  }

  return {
    enter({ workspace, actor }) {
      const ofToken = `${workspace.id} ${actor.token_id ?? actor.user_id}`
      if ((places.get(ofToken) ?? 0) >= WAITING_PER_TOKEN) refuseMore(WAITING_PER_TOKEN, 'this token')
      if ((places.get(workspace.id) ?? 0) >= WAITING_PER_WORKSPACE) refuseMore(WAITING_PER_WORKSPACE, 'the workspace')
      const keys = [ofToken, workspace.id]
      keys.forEach(take)
      let entered = true
      return () => {
        if (entered) keys.forEach(free)
        entered = false
      }
    },
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

function refuseMore(most: number, holder: string): never {
  const message =
    `Too many requests of ${holder} are waiting: at most ${most} waiting requests and streams together are allowed. ` +
    'End one of them, or retry.'
  refuse({ kind: 'rate_limited', message, retry_after: RETRY_AFTER_SECONDS })
}
